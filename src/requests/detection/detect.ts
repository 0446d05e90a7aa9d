import { featuresOf } from './features.ts'
import { calibrated, groupOf, probabilityOf, projectDetector, scoreOf, type Thresholds } from './weights-file.ts'

/** What the labels of a source say about a text. */
type Evidence = 'wish' | 'other' | 'none'

/** Labels of wishes, categories of forums and issue types, in the form of `labelWords`. */
const wishLabels: ReadonlySet<string> = new Set([
  'enhancement',
  'enhancements',
  'feature',
  'features',
  'feature request',
  'feature requests',
  'feature suggestion',
  'feature suggestions',
  'feature idea',
  'new feature',
  'feature proposal',
  'featurerequest',
  'suggestion',
  'suggestions',
  'idea',
  'ideas',
  'wish',
  'wishlist',
  'proposal',
  'improvement',
  'request for enhancement',
  'rfe',
])
const otherLabels: ReadonlySet<string> = new Set([
  'bug',
  'bugs',
  'bug report',
  'defect',
  'regression',
  'crash',
  'question',
  'questions',
  'support',
  'help',
  'dependencies',
])

/** What stands before the value of a scoped label: `kind/feature`, `type: feature`, `c-enhancement`. */
const scope = /^(?:kind|type|category|issue ?type|topic|t|c|area|status|is)(?:\s*[:/]+\s*|-)/

/** Besides trackers these have categories or tags that their communities keep in order. */
const curated: ReadonlySet<string> = new Set(['discourse', 'stackexchange'])

/** Log-odds that the evidence adds. Elsewhere an author sets a flair or a hashtag, of anything. */
const curatedStrength = 3
const ownStrength = 1.5

/** A label in lower case without its scope, with `-` and `_` as spaces and without emoji. */
function labelWords(label: string): string {
  const text = label
    .slice(0, 100)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[^a-z]+/, '')
  return text
    .replace(scope, '')
    .replace(/[^a-z]+/g, ' ')
    .trim()
}

/** Contradicting labels are no evidence. */
export function evidenceOf(tags: readonly string[]): Evidence {
  const words = tags.slice(0, 50).map(labelWords)
  const isWish = words.some((label) => wishLabels.has(label))
  const isOther = words.some((label) => otherLabels.has(label))
  if (isWish === isOther) return 'none'
  return isWish ? 'wish' : 'other'
}

/** Log-odds of the labels of a text: 0 when there is none that says something. */
export function evidenceLogOdds(platform: string, tags: readonly string[]): number {
  const evidence = evidenceOf(tags)
  if (evidence === 'none') return 0
  const isCurated = groupOf(platform) === 'tracker' || curated.has(platform.toLowerCase())
  const strength = isCurated ? curatedStrength : ownStrength
  return evidence === 'wish' ? strength : -strength
}

/** How likely a text is a wish, in classes: the likely ones are shown, the ones that may be are offered after them. */
export type WishClass = 'likely' | 'maybe' | 'unlikely'

export interface DetectableText {
  title: string
  description: string
  /** The name of the platform; an unknown one counts as a social platform. */
  platform: string
  /** Labels, flairs and categories of the source. Empty: the text alone decides. */
  tags: readonly string[]
}

export interface Detection {
  /** The probability that the text is a feature request, from 0 to 1. */
  confidence: number
  wish: WishClass
}

/** The confidences from which a text of a platform is likely, and maybe, a wish. */
export const thresholdsOf = (platform: string): Thresholds => projectDetector()[groupOf(platform)].thresholds

/** The class of a confidence, wherever it comes from. */
export function wishClassOf(confidence: number, platform: string): WishClass {
  const { likely, maybe } = thresholdsOf(platform)
  if (confidence >= likely) return 'likely'
  return confidence >= maybe ? 'maybe' : 'unlikely'
}

/** Whether a text is a feature request: from the text, and from the labels of its source. No network, well below 0.1 ms for a usual text. */
export function detect({ title, description, platform, tags }: DetectableText): Detection {
  const { model, calibration } = projectDetector()[groupOf(platform)]
  const textLogOdds = calibrated(scoreOf(model, featuresOf(title, description)), calibration)
  const confidence = probabilityOf(textLogOdds + evidenceLogOdds(platform, tags))
  return { confidence, wish: wishClassOf(confidence, platform) }
}
