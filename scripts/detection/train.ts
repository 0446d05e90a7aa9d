import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  type GroupModel,
  maxFileBytes,
  type PlatformGroup,
  weightsFile,
  writeDetector,
} from '../../src/requests/detection/weights-file.ts'
import { corpora, hasCorpora } from './corpora.ts'
import {
  type HeldOut,
  heldOutConfidences,
  heldOutIssues,
  heldOutPosts,
  readTrainingSet,
  type TrainingSet,
  trainModel,
} from './cross-validation.ts'
import { bestF1, curveOf, type Point } from './curve.ts'
import { correctionExamples, readLabelled } from './labelled.ts'
import { fitCalibration } from './platt.ts'

// Trains the weights of the detection, src/requests/detection/weights.bin, from the corpora: the same file from the same corpora.
//   npm run train:detection
//   npm run train:detection -- --labelled FILE.jsonl      also from the corrections of a service (wishwell admin detection export)

/**
 * The rule of decision 036, on confidences that are calibrated by other projects or forums, as those of a new one are. For issues F1 hardly changes
 * around its best threshold. Of what is as good the lowest is taken, because texts of other trackers score lower than those of training.
 * Posts are few and mostly no wishes, so their rule is a precision, with a margin above the one that is promised.
 */
const likelyFrom: Record<PlatformGroup, (points: readonly Point[]) => Point> = {
  tracker: (points) => {
    const best = bestF1(points).f1
    return points.findLast(({ f1 }) => f1 >= 0.99 * best)!
  },
  social: (points) => points.findLast(({ precision }) => precision >= 0.72)!,
}
/** Likely and maybe together have this recall. */
const recallWithMaybe: Record<PlatformGroup, number> = { tracker: 0.93, social: 0.9 }

const start = performance.now()
const progress = (line: string) =>
  console.log(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${line}`)

const rounded = (threshold: number) => Number(threshold.toFixed(4))

function groupModel(set: TrainingSet, group: PlatformGroup, heldOut: readonly HeldOut[]): GroupModel {
  const calibration = fitCalibration(heldOut)
  const points = curveOf(heldOutConfidences(heldOut))
  const thresholds = {
    likely: rounded(likelyFrom[group](points).threshold),
    maybe: rounded(points.find(({ recall }) => recall >= recallWithMaybe[group])!.threshold),
  }
  const model = trainModel(set, group, () => true)
  progress(`${group}: trained on everything; likely from ${thresholds.likely}, maybe from ${thresholds.maybe}`)
  return { model, calibration, thresholds }
}

if (!hasCorpora) {
  console.error(`skipped: the corpora are not at ${corpora} (set WISHWELL_SHARED to the folder that holds them)`)
} else {
  const { values } = parseArgs({ options: { labelled: { type: 'string' } } })
  const corrections = values.labelled === undefined ? [] : correctionExamples(readLabelled(values.labelled))
  const set = readTrainingSet(progress, corrections)
  const tracker = groupModel(set, 'tracker', heldOutIssues(set, progress))
  const social = groupModel(set, 'social', heldOutPosts(set, progress))
  const file = writeDetector({ tracker, social })
  if (file.length > maxFileBytes) throw new Error(`the weights have ${file.length} bytes, more than ${maxFileBytes}`)
  writeFileSync(weightsFile, file)
  progress(`wrote ${file.length} bytes`)
}
