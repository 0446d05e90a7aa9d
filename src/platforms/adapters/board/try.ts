import { createTopicTest } from '../../about-topic.ts'
import { createBudget } from '../../budget/budget.ts'
import { createMemoryQuotas } from '../../budget/quota.ts'
import type { PlatformClient } from '../../client/client.ts'
import { asFields, type Fields } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import { type FoundRequest, type Json, PlatformError } from '../../platform.ts'
import type { Board, BoardField } from './description.ts'
import { readItem, statusOfItem, statusWord } from './post.ts'
import { fetchBoardPage } from './search.ts'

/** Enough to see whether a second page follows the first. */
const triedPages = 2
const maxShown = 20
const maxExample = 80

/** What a description would store, and its doubtful parts. */
export interface TriedBoard {
  name: string
  pages: { items: number; stored: number; hasNext: boolean }[]
  error: string | null
  /** For each mapped field: how many items have a value, and the first value. */
  fields: { field: BoardField; found: number; example: string | null }[]
  items: number
  /** The first 20 requests that would be stored. */
  requests: FoundRequest[]
  notes: string[]
}

const exampleOf = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replace(/\s+/g, ' ').slice(0, maxExample)

/** Status words without a known meaning. */
function unknownStatuses(board: Board, items: readonly Fields[], names: ReadonlyMap<string, string>): string[] {
  const read = board.fields.get('status')
  if (read === undefined) return []
  const words = items.flatMap((item) => {
    const [value] = read(item)
    const word = statusWord(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '', names)
    return word !== '' && statusOfItem(board, word) === null ? [exampleOf(word)] : []
  })
  return [...new Set(words)].slice(0, 10)
}

function notesOf(
  board: Board,
  {
    topic,
    items,
    names,
    requests,
  }: { topic: string; items: Fields[]; names: ReadonlyMap<string, string>; requests: FoundRequest[] },
) {
  const notes: string[] = []
  const isAbout = createTopicTest(topic)
  const about = requests.filter((request) => isAbout(request)).length
  if (items.length === 0) notes.push('The list is empty.')
  if (items.length > requests.length)
    notes.push(
      `${items.length - requests.length} of ${items.length} items have no id, no http address, or no text, and would not be stored.`,
    )
  if (requests.length > 0)
    notes.push(`${about} of ${requests.length} are about "${topic}"; a job for it stores only those.`)
  const ids = new Set(requests.map(({ sourceId }) => sourceId))
  if (ids.size < requests.length)
    notes.push(`${requests.length - ids.size} repeat the id of another, and would replace it.`)
  const unknown = unknownStatuses(board, items, names)
  if (unknown.length > 0) notes.push(`statuses: nothing is known of ${unknown.join(', ')}.`)
  const dated = requests.filter(({ originalCreatedAt }) => originalCreatedAt !== null).length
  if (board.fields.has('createdAt') && dated < requests.length)
    notes.push(`createdAt: ${requests.length - dated} have no date that can be read.`)
  return notes
}

/** Reads a board's first pages and reports what would be stored, storing nothing. */
export async function tryBoard(
  board: Board,
  topic: string,
  { client, signal }: { client: PlatformClient; signal: AbortSignal },
): Promise<TriedBoard> {
  const windows = [{ limit: triedPages, windowMs: 1_000 }]
  const budget = createBudget({
    name: board.host,
    windows,
    concurrency: 1,
    platform: 'board',
    quotas: createMemoryQuotas(),
  })
  const tried: TriedBoard = { name: board.name, pages: [], error: null, fields: [], items: 0, requests: [], notes: [] }
  const items: Fields[] = []
  const names = new Map<string, string>()
  const requests: FoundRequest[] = []
  let cursor: Json = null
  try {
    do {
      const page = await fetchBoardPage({ client }, board, budget, { topic, cursor, signal })
      const found = await readItems(page.wanted, (item) => readItem(board, item, page.names))
      for (const [id, name] of page.names ?? []) names.set(id, name)
      items.push(...page.wanted.map(asFields).filter((item) => item !== null))
      requests.push(...found.requests)
      tried.pages.push({ items: page.items.length, stored: found.requests.length, hasNext: page.next !== null })
      cursor = page.next && { ...page.next }
    } while (cursor !== null && tried.pages.length < triedPages)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    tried.error = error.message
  }
  for (const [field, read] of board.fields) {
    const values = items.flatMap((item) =>
      read(item)
        .filter((value) => value !== null && value !== '')
        .slice(0, 1),
    )
    tried.fields.push({ field, found: values.length, example: values.length === 0 ? null : exampleOf(values[0]) })
  }
  return {
    ...tried,
    items: items.length,
    requests: requests.slice(0, maxShown),
    notes: notesOf(board, { topic, items, names, requests }),
  }
}
