import type { Standing } from '../../database/column-types.ts'
import { type WishClass, wishClassOf } from '../detection/detect.ts'
import { type Share, shareOf, type WeightedLabel } from './interval.ts'

/** The owner's label of a drawn text. */
export interface DrawnLabel {
  platform: string
  /** Its class when drawn, and the confidence behind it. */
  standing: Standing
  confidence: number
  population: number
  /** The thresholds at that time, as a key. */
  thresholds: string
  isRequest: boolean
}

/** Shown, shown on demand, hidden. */
export const shownClasses = ['shown', 'maybe', 'hidden'] as const
export type ShownClass = (typeof shownClasses)[number]

const classOf: Record<WishClass, ShownClass> = { likely: 'shown', maybe: 'maybe', unlikely: 'hidden' }

/** With fewer labels, an interval says almost nothing. */
export const fewestLabels = 10

/** The share of real requests with its interval; all null if neither account nor operator has enough labels. */
export type Estimate = { [K in keyof Share]: number | null } & {
  labels: number
  from: 'account' | 'operator' | null
}

export type Estimates = Record<ShownClass, Estimate>

type PlacedLabel = WeightedLabel & { platform: string; shown: ShownClass }

/**
 * Assigns each label its current class and its weight: the number of texts it represents. Draws under the same
 * thresholds are one sample of all texts; samples are weighted by size.
 */
function placeLabels(labels: readonly DrawnLabel[], classNow: typeof wishClassOf): PlacedLabel[] {
  const samples = [...Map.groupBy(labels, ({ thresholds }) => thresholds).values()]
  return samples.flatMap((sample) => {
    const classes = [...Map.groupBy(sample, ({ standing }) => standing).values()]
    const texts = classes.map((drawn) => drawn.reduce((sum, { population }) => sum + population, 0) / drawn.length)
    const all = texts.reduce((sum, size) => sum + size, 0)
    return classes.flatMap((drawn, index) =>
      drawn.map(({ platform, confidence, isRequest }) => ({
        platform,
        isRequest,
        shown: classOf[classNow(confidence, platform)],
        weight: ((texts[index]! / drawn.length) * sample.length) / all,
      })),
    )
  })
}

/** The account's estimate of a class if it has enough labels, else the operator's. */
function estimateOf(own: readonly PlacedLabel[], operators: readonly PlacedLabel[] | null): Estimate {
  const mine = operators === null ? 'operator' : 'account'
  const [from, used] =
    own.length >= fewestLabels || operators === null || operators.length < fewestLabels
      ? ([mine, own] as const)
      : (['operator', operators] as const)
  const share = used.length < fewestLabels ? null : shareOf(used)
  if (share === null) return { labels: used.length, from: null, share: null, low: null, high: null }
  return { labels: used.length, from, ...share }
}

const inClass = (labels: readonly PlacedLabel[], shown: ShownClass) => labels.filter((label) => label.shown === shown)

const estimatesOf = (own: readonly PlacedLabel[], operators: readonly PlacedLabel[] | null): Estimates => {
  const of = (shown: ShownClass) => estimateOf(inClass(own, shown), operators && inClass(operators, shown))
  return { shown: of('shown'), maybe: of('maybe'), hidden: of('hidden') }
}

export interface Accuracy extends Estimates {
  /** Only platforms with labels, sorted by name. */
  platforms: (Estimates & { platform: string })[]
}

/** Estimates the share of requests per class and platform. @param own the operator's if `operators` is null */
export function estimateAccuracy(
  own: readonly DrawnLabel[],
  operators: readonly DrawnLabel[] | null,
  classNow = wishClassOf,
): Accuracy {
  const mine = placeLabels(own, classNow)
  const others = operators && placeLabels(operators, classNow)
  const platforms = [...new Set([...mine, ...(others ?? [])].map(({ platform }) => platform))].sort()
  const on = (labels: readonly PlacedLabel[], platform: string) => labels.filter((label) => label.platform === platform)
  return {
    ...estimatesOf(mine, others),
    platforms: platforms.map((platform) => ({
      platform,
      ...estimatesOf(on(mine, platform), others && on(others, platform)),
    })),
  }
}
