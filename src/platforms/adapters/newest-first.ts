import { asFields, type Fields } from '../content/fields.ts'

/** One in this many neighbors may be out of order, because of pinned items or equal dates. */
const orderedShare = 4

/**
 * Whether a newest-first page has reached items older than `since`. The last dated item decides, because pinned ones
 * come first; a page in another order decides nothing.
 * @param dateOf the date the platform sorts by; null if unknown
 */
export function reachesOlder(
  items: readonly unknown[],
  dateOf: (item: Fields) => Date | null,
  since: Date | null | undefined,
): boolean {
  if (!since) return false
  const moments = items.flatMap((item) => {
    const fields = asFields(item)
    return (fields && dateOf(fields)?.getTime()) ?? []
  })
  const last = moments.at(-1)
  if (last === undefined || last >= since.getTime()) return false
  const rises = moments.filter((moment, index) => index > 0 && moment > moments[index - 1]!)
  return rises.length * orderedShare <= moments.length - 1
}

/** ISO 8601 rounded down to the second, which every platform reads. */
export const isoSecond = (instant: Date): string =>
  `${new Date(epochSecond(instant) * 1000).toISOString().slice(0, 19)}Z`

/** Seconds since 1970, rounded down. */
export const epochSecond = (instant: Date): number => Math.floor(instant.getTime() / 1000)
