import { type Discarded, type DiscardReason, discardReasons } from '../../database/column-types.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import { type FoundRequest, PlatformError } from '../platform.ts'
import { asFields, asList, type Fields } from './fields.ts'

/** Adds counts by reason, omitting zeros. */
export function addDiscarded(one: Discarded = {}, other: Discarded = {}): Discarded {
  const sum: Discarded = {}
  for (const reason of discardReasons) {
    const count = (one[reason] ?? 0) + (other[reason] ?? 0)
    if (count > 0) sum[reason] = count
  }
  return sum
}

interface RequiredList {
  label: string
  /** What the list holds, in the plural. */
  items: string
  /** The environment variable the operator should check. */
  variable: string
  /** Advice for readers who cannot change that variable. */
  advice?: string
}

/** @throws PlatformError `bad_response` if the value is no list */
export function requiredList(
  value: unknown,
  { label, items, variable, advice = `Check ${variable}.` }: RequiredList,
): unknown[] {
  const list = asList(value)
  if (list) return list
  throw new PlatformError('bad_response', `${label} answered without a list of ${items}. ${advice}`)
}

/** The storable items of an answer, and counts of the others by reason. */
export interface ReadItems {
  requests: FoundRequest[]
  discarded: Discarded
}

/** A request, or why it is left out. Null is not counted: no id, or a second post of the same topic. */
export type ItemResult = FoundRequest | DiscardReason | null

/** Well above any page size, and little enough not to keep the database busy for long. */
const itemLimit = 1_000
/** Characters of text per page: 100 items of 20,000. Storing them takes the database a fifth of a second. */
const textLimit = 2_000_000

/**
 * Reads up to 1,000 items and `textLimit` characters, without those that have neither title nor text. Yields between
 * items, because cleaning a hostile text takes up to a third of a second.
 */
export async function readItems(items: readonly unknown[], read: (fields: Fields) => ItemResult): Promise<ReadItems> {
  const requests: FoundRequest[] = []
  const discarded: Discarded = {}
  const pause = createPauses()
  let [seen, characters] = [0, 0]
  for (const item of items.slice(0, itemLimit)) {
    if (characters > textLimit) break
    seen++
    const fields = asFields(item)
    const found = fields && read(fields)
    const result = found !== null && typeof found === 'object' && isEmpty(found) ? 'noText' : found
    if (typeof result === 'string') discarded[result] = (discarded[result] ?? 0) + 1
    else if (result) {
      requests.push(result)
      characters += result.description.length
    }
    await pause()
  }
  return { requests, discarded: addDiscarded(discarded, { beyondLimit: items.length - seen }) }
}

const isEmpty = ({ title, description }: FoundRequest) => title === '' && description === ''
