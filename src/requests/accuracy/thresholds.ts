import type { OwnThresholds } from '../detection/detect.ts'
import {
  groupOf,
  type PlatformGroup,
  probabilityOf,
  projectDetector,
  type Thresholds,
} from '../detection/weights-file.ts'
import type { DrawnLabel } from './estimate.ts'

/** With fewer labels of a group its thresholds stay. */
const fewestToMove = 20

/** How far from 0 the mistake of detection is for an account, in log-odds: the variance of the prior, which is as strong as about 130 labels. */
const priorVariance = 0.05
/** The furthest that a threshold moves, in log-odds. */
const mostMoved = 1
/** In log-odds. A confidence of 0 or 1 is what the operator or a model said, so one label must not outweigh all others. */
const farthest = 5

/** What a text must be from to be likely: of posts, once people said what is right, as likely a request as not. Trackers keep the best F1. */
const likelyFrom: Record<PlatformGroup, (common: Thresholds) => number> = {
  tracker: ({ likely }) => likely,
  social: () => 0.5,
}

const logOddsOf = (probability: number) => Math.log(probability / (1 - probability))
const within = (value: number, around: number, distance: number) =>
  Math.min(around + distance, Math.max(around - distance, value))

/**
 * How much likelier requests are than detection says, in log-odds: the likeliest shift, with a normal prior of mean 0, by Newton's method. Labels need
 * no weights, since they were drawn by the confidence, which the model has.
 */
function shiftOf(labels: readonly DrawnLabel[]): number {
  let shift = 0
  for (let round = 0; round < 50; round += 1) {
    let [slope, curvature] = [-shift / priorVariance, 1 / priorVariance]
    for (const { confidence, isRequest } of labels) {
      const expected = probabilityOf(within(logOddsOf(confidence), 0, farthest) + shift)
      slope += Number(isRequest) - expected
      curvature += expected * (1 - expected)
    }
    const step = slope / curvature
    shift += step
    if (Math.abs(step) < 1e-9) break
  }
  return shift
}

/**
 * The thresholds of an account by its labels: confidences at which texts are, as the labels correct them, as likely requests as the common thresholds say
 * of all. They are within 1 of these in log-odds. A group with fewer than 20 labels is left out.
 */
export function thresholdsBy(labels: readonly DrawnLabel[]): OwnThresholds {
  const own: OwnThresholds = {}
  for (const [group, ofGroup] of Map.groupBy(labels, ({ platform }) => groupOf(platform))) {
    if (ofGroup.length < fewestToMove) continue
    const common = projectDetector()[group].thresholds
    const shift = shiftOf(ofGroup)
    const moved = (threshold: number, wanted: number) =>
      Number(probabilityOf(within(logOddsOf(wanted) - shift, logOddsOf(threshold), mostMoved)).toFixed(4))
    own[group] = {
      likely: moved(common.likely, likelyFrom[group](common)),
      maybe: moved(common.maybe, common.maybe),
    }
  }
  return own
}
