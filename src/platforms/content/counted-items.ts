import type { Discarded, DiscardReason } from '../../database/column-types.ts'
import type { FoundRequest } from '../platform.ts'
import { type Fields, readItems } from './fields.ts'

/** The items of one answer: those that can be stored, and how many are left out for which reason. */
export interface CountedItems {
  requests: FoundRequest[]
  discarded: Discarded
}

/** What a reader says of one item: null for one that no reason describes, such as a second post of the same topic. */
export type ItemResult = FoundRequest | DiscardReason | null

/** Reads the items of one page as `readItems` does, with the counts of those that are left out. */
export async function countItems(items: unknown[], read: (fields: Fields) => ItemResult): Promise<CountedItems> {
  const discarded: Discarded = {}
  return { requests: await readItems(items, read, discarded), discarded }
}
