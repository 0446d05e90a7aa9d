import { type Discarded, type DiscardReason, discardReasons } from '../../database/column-types.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import { type FoundRequest, PlatformError } from '../platform.ts'
import { asFields, asList, type Fields } from './fields.ts'

/** The sums of two counts by reason, without fields of zero. */
export function addDiscarded(one: Discarded = {}, other: Discarded = {}): Discarded {
  const sum: Discarded = {}
  for (const reason of discardReasons) {
    const count = (one[reason] ?? 0) + (other[reason] ?? 0)
    if (count > 0) sum[reason] = count
  }
  return sum
}

interface RequiredList {
  /** The name of the platform or host in messages. */
  label: string
  /** What the list holds, in the plural. */
  items: string
  /** The environment variable with the address that the operator should check. */
  variable: string
  /** A sentence for a reader who cannot change that variable. */
  advice?: string
}

/**
 * The list that an answer must hold.
 * @throws PlatformError `bad_response` when the value is no list.
 */
export function requiredList(
  value: unknown,
  { label, items, variable, advice = `Check ${variable}.` }: RequiredList,
): unknown[] {
  const list = asList(value)
  if (list) return list
  throw new PlatformError('bad_response', `${label} answered without a list of ${items}. ${advice}`)
}

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
/** Characters of the texts of a page: a hundred of 20,000. Storing them keeps the database for a fifth of a second. */
const textLimit = 2_000_000

/**
 * Reads the items of one page, the first 1,000 at most, and as many as the limit of texts allows. An item with neither title nor text is left out too, because its wish is
 * unknown. Cleaning a hostile text takes up to a third of a second, so other work of the event loop can run between two items.
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
