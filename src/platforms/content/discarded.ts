import { type Discarded, discardReasons } from '../../database/column-types.ts'

/** The sums of two counts by reason, without fields of zero. */
export function addDiscarded(one: Discarded = {}, other: Discarded = {}): Discarded {
  const sum: Discarded = {}
  for (const reason of discardReasons) {
    const count = (one[reason] ?? 0) + (other[reason] ?? 0)
    if (count > 0) sum[reason] = count
  }
  return sum
}
