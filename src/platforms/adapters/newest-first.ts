import { asFields, type Fields } from '../content/fields.ts'

/** One of so many neighbours may be in another order: pinned items stand first, and equal dates in any order. */
const orderedShare = 4

/**
 * Whether an answer to a request for what is newest has reached what is older than `since`, so that its next page has nothing newer.
 * The last item with a date decides, because pinned items stand first. An answer in another order, such as that of a platform that ignores
 * the order, decides nothing: its next page may have newer items.
 * @param dateOf the date by which the platform orders; null where an item does not say.
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

/** An instant to the second, no later: ISO 8601 as every platform reads it. */
export const isoSecond = (instant: Date): string =>
  `${new Date(epochSecond(instant) * 1000).toISOString().slice(0, 19)}Z`

/** Whole seconds since 1970, no later. */
export const epochSecond = (instant: Date): number => Math.floor(instant.getTime() / 1000)
