import type { OwnThresholds } from '../detection/detect.ts'
import { type PlatformGroup, projectDetector } from '../detection/weights-file.ts'

/** How sure detection must be for an account. */
export const strictnesses = ['usual', 'strict'] as const

export type Strictness = (typeof strictnesses)[number]

/** Twice as likely a request as not. Its effect: docs/benchmarks.md, "Detection of wishes". */
const strictFrom = 2 / 3

/** The thresholds of a strictness. Strict turns the less certain likely texts into maybe. */
export function thresholdsBy(strictness: Strictness): OwnThresholds {
  if (strictness === 'usual') return {}
  const strictOf = (group: PlatformGroup) => {
    const { likely, maybe } = projectDetector()[group].thresholds
    return { likely: Math.max(likely, strictFrom), maybe }
  }
  return { tracker: strictOf('tracker'), social: strictOf('social') }
}
