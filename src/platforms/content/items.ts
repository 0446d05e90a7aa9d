import type { Discarded, DiscardReason } from '../../database/column-types.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import type { FoundRequest } from '../platform.ts'
import { asFields, type Fields } from './fields.ts'

/** The items of one answer: those that can be stored, and how many are left out for which reason. */
export interface ReadItems {
  requests: FoundRequest[]
  discarded: Discarded
}

/**
 * What a reader says of one item: the reason for which it is left out, or null for one that no reason describes, such as one without
 * an id or a second post of the same topic. Those with null are not counted.
 */
export type ItemResult = FoundRequest | DiscardReason | null

/** Far more than the largest page size; ten million bytes of empty items would keep the database busy for long. */
const itemLimit = 1_000

/**
 * Reads the items of one page, the first 1,000 at most. An item with neither title nor text is left out too, because its wish is
 * unknown. Cleaning a hostile text takes up to a third of a second, so other work of the event loop can run between two items.
 */
export async function readItems(items: readonly unknown[], read: (fields: Fields) => ItemResult): Promise<ReadItems> {
  const requests: FoundRequest[] = []
  const discarded: Discarded = {}
  const pause = createPauses()
  for (const item of items.slice(0, itemLimit)) {
    const fields = asFields(item)
    const found = fields && read(fields)
    const result = found !== null && typeof found === 'object' && isEmpty(found) ? 'noText' : found
    if (typeof result === 'string') discarded[result] = (discarded[result] ?? 0) + 1
    else if (result) requests.push(result)
    await pause()
  }
  return { requests, discarded }
}

const isEmpty = ({ title, description }: FoundRequest) => title === '' && description === ''
