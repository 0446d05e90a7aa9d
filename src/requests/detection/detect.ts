import { featuresOf } from './features.ts'
import { readForm } from './form.ts'
import { type Evidence, evidenceOf } from './labels.ts'
import {
  calibrated,
  groupOf,
  type PlatformGroup,
  probabilityOf,
  projectDetector,
  scoreOf,
  type Thresholds,
} from './weights-file.ts'

/** Platforms, besides trackers, whose communities curate categories or tags. */
const curated: ReadonlySet<string> = new Set(['discourse', 'stackexchange'])

/** Log-odds added by a matching label. Lower elsewhere: authors pick any flair or hashtag. */
const curatedStrength = 3
const ownStrength = 1.5

/** The log-odds of evidence; 0 for none. */
export function evidenceLogOdds(platform: string, evidence: Evidence): number {
  if (evidence === 'none') return 0
  const isCurated = groupOf(platform) === 'tracker' || curated.has(platform.toLowerCase())
  const strength = isCurated ? curatedStrength : ownStrength
  return evidence === 'wish' ? strength : -strength
}

/** How likely a text is a wish: likely ones are shown, maybe ones are offered after them. */
export type WishClass = 'likely' | 'maybe' | 'unlikely'

export interface DetectableText {
  title: string
  description: string
  /** An unknown platform counts as social. */
  platform: string
  /** The source's labels, flairs and categories. If empty, the text alone decides. */
  tags: readonly string[]
}

export interface Detection {
  /** The probability (0 to 1) that the text is a feature request. */
  confidence: number
  wish: WishClass
}

/** The confidences from which a platform's text is likely, or maybe, a wish. */
export const thresholdsOf = (platform: string): Thresholds => projectDetector()[groupOf(platform)].thresholds

/** An account's thresholds, where they differ from the shared ones. */
export type OwnThresholds = Partial<Record<PlatformGroup, Thresholds>>

/** The class of a confidence from any source. */
export function wishClassOf(confidence: number, platform: string, own: OwnThresholds = {}): WishClass {
  const { likely, maybe } = own[groupOf(platform)] ?? thresholdsOf(platform)
  if (confidence >= likely) return 'likely'
  return confidence >= maybe ? 'maybe' : 'unlikely'
}

/** Classifies a text. Labels outrank the form, because maintainers correct authors. Well below 0.1 ms, no network. */
export function detect({ title, description, platform, tags }: DetectableText): Detection {
  const { model, calibration } = projectDetector()[groupOf(platform)]
  const form = readForm(description)
  const textLogOdds = calibrated(scoreOf(model, featuresOf(title, form.text)), calibration)
  const labelled = evidenceOf(tags)
  const confidence = probabilityOf(
    textLogOdds + evidenceLogOdds(platform, labelled === 'none' ? form.evidence : labelled),
  )
  return { confidence, wish: wishClassOf(confidence, platform) }
}
