import { calibrated, probabilityOf } from './calibration.ts'
import { evidenceLogOdds } from './evidence.ts'
import { featuresOf } from './features.ts'
import { scoreOf } from './linear.ts'
import { groupOf } from './platform-groups.ts'
import { projectDetector, type Thresholds } from './weights-file.ts'

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
