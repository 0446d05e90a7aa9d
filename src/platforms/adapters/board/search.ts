import { hash } from 'node:crypto'
import type { Budget } from '../../budget/budget.ts'
import { asFields, asId, asList, type Fields } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { type Json, type Page, type PageRequest, type Platform, SourceRefusedError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import type { Board } from './description.ts'
import { dateOf, readItem } from './post.ts'
import { fillRequest } from './templates.ts'

/** Where a board continues: pages read so far, its cursor, and the contents of its last page. */
interface Position {
  page: number
  cursor: string
  last: string
}

const first: Position = { page: 0, cursor: '', last: '' }
const maxCursor = 1_000

function positionOf(cursor: Json): Position {
  const { page, cursor: next, last } = asFields(cursor) ?? {}
  if (typeof page !== 'number' || typeof next !== 'string' || typeof last !== 'string') return first
  return { page, cursor: next, last }
}

const refuse = ({ name }: Board, what: string) =>
  new SourceRefusedError(`board (${name}) ${what} Check its description.`)

/** Reads the next cursor. From a link only its parameter is used: an address sent by a board is never called. */
function cursorOf(board: Board, body: unknown): string {
  const { paging } = board
  const found = board.next?.(body)
  if (paging.by !== 'cursor' || found === null || found === undefined || found === '') return ''
  if (typeof found !== 'string' && typeof found !== 'number') throw refuse(board, 'has a cursor that is no text.')
  const text = String(found)
  const parameter = paging.parameter
  const cursor =
    parameter === undefined
      ? text
      : (URL.canParse(text, 'https://board.invalid') &&
          new URL(text, 'https://board.invalid').searchParams.get(parameter)) ||
        ''
  if (cursor.length > maxCursor) throw refuse(board, `has a cursor of more than ${maxCursor} characters.`)
  return cursor
}

function positionAfter(board: Board, body: unknown, items: readonly unknown[], position: Position): Position | null {
  const { paging } = board
  const page = position.page + 1
  const saysMore = board.more?.(body)
  if (paging.by === 'none' || items.length === 0 || page >= board.maxPages) return null
  if (board.more !== undefined && !saysMore) return null
  // A short page is the last, unless the board says that there are more.
  if (paging.size !== undefined && items.length < paging.size && saysMore !== true && paging.by !== 'cursor')
    return null
  const cursor = cursorOf(board, body)
  if (paging.by === 'cursor' && cursor === '') return null
  return { page, cursor, last: idsHash(board, items) }
}

/** Fingerprints a page: a board that ignores page numbers repeats the same items forever. */
function idsHash({ fields }: Board, items: readonly unknown[]): string {
  const ids = items.map((item) => {
    const values = asFields(item)
    return values === null ? null : asId(fields.get('id')!(values)[0])
  })
  return hash('sha256', JSON.stringify(ids), 'base64').slice(0, 16)
}

export interface BoardPage {
  names: ReadonlyMap<string, string> | undefined
  items: unknown[]
  /** Items that match the description's condition. */
  wanted: unknown[]
  next: Position | null
  /** The called address, without the secret. */
  url: URL
}

/** @throws PlatformError as `Platform.fetchPage`; SourceRefusedError without a list, or if it repeats the last page */
export async function fetchBoardPage(
  { client }: Pick<AdapterDependencies, 'client'>,
  board: Board,
  budget: Budget,
  { topic, cursor, signal }: Pick<PageRequest, 'topic' | 'cursor' | 'signal'>,
): Promise<BoardPage> {
  const position = positionOf(cursor)
  const { paging, secret = '' } = board
  const limit = paging.by === 'none' ? 0 : (paging.size ?? 0)
  const start = paging.by === 'page' ? (paging.first ?? 1) : 0
  const places = {
    topic: searchWords(topic).join(' '),
    page: start + position.page,
    offset: position.page * limit,
    limit,
    cursor: position.cursor,
    secret,
  }
  const request = fillRequest(board.request, places)
  const label = `board (${board.name})`
  const { body } = await client.getJson({ platform: 'board', label, budget, signal, ...request })
  const items = asList(board.items(body))
  if (items === null) throw refuse(board, 'answered without the list of items.')
  if (items.length > 0 && idsHash(board, items) === position.last)
    throw refuse(board, `has the same items on page ${position.page + 1} as on the one before.`)
  const wanted = board.only === undefined ? items : board.only(items)
  return {
    items,
    wanted,
    names: board.statusNames?.(body),
    next: positionAfter(board, body, items, position),
    url: request.url,
  }
}

const postedAt = (board: Board) => (item: Fields) => dateOf(board.fields.get('createdAt')?.(item)[0])

export interface BoardsOptions extends AdapterDependencies {
  boards: readonly Board[]
}

/** Searches described boards, round-robin. An address without `{topic}` is a list, matched here. */
export function createBoards({ client, openBudget, boards }: BoardsOptions): Platform {
  const byName = new Map(
    boards.map((board) => {
      const { calls, seconds } = board.budget
      const windows = [{ limit: calls, windowMs: seconds * 1_000 }]
      return [
        board.name,
        { board, budget: openBudget({ name: `${board.host} (${board.name})`, windows, concurrency: 1 }) },
      ]
    }),
  )

  async function fetchFrom(name: string, cursor: Json, request: PageRequest): Promise<SourcePage> {
    const { board, budget } = byName.get(name)!
    const { wanted, items, names, next } = await fetchBoardPage({ client }, board, budget, { ...request, cursor })
    const { requests, discarded } = await readItems(wanted, (item) => readItem(board, item, names))
    const isOver = board.newestFirst && reachesOlder(items, postedAt(board), request.newestSince)
    return { requests, discarded, nextCursor: isOver || next === null ? null : { ...next } }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    if (searchWords(request.topic).length === 0) return null
    return fetchRoundRobin({
      sources: [...byName.keys()],
      request,
      hostOf: (name) => byName.get(name)!.board.host,
      fetchFrom: (name, cursor) => fetchFrom(name, cursor, request),
    })
  }

  return { name: 'board', fetchPage }
}
