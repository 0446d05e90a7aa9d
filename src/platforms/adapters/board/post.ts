import {
  asDate,
  asEpochSeconds,
  asId,
  asInteger,
  asName,
  asWebUrl,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import type { ItemResult } from '../../content/items.ts'
import { cleanTags, htmlToPlainText, markdownToPlainText, plainText, plainTitle } from '../../content/text.ts'
import { statusOfWord } from '../status-words.ts'
import type { Board, BoardField } from './description.ts'

/** Larger numbers are milliseconds: no plausible seconds reach this. */
const firstMillisecond = 100_000_000_000

/** Parses ISO 8601, or a number of seconds or milliseconds since 1970. */
export function dateOf(value: unknown): Date | null {
  const number = typeof value === 'string' && /^\d{9,13}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number') return asDate(value)
  return asEpochSeconds(number >= firstMillisecond ? number / 1_000 : number)
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

const converted = { plain: plainText, html: htmlToPlainText, markdown: markdownToPlainText }

const numberOf = (value: unknown): number | null =>
  asInteger(typeof value === 'string' && value.trim() !== '' ? Number(value) : value)

/** Reads an item of a board. @param names of statuses, by id @returns null without an id or an address */
export function readItem(board: Board, item: Fields, names?: ReadonlyMap<string, string>): ItemResult {
  const values = (field: BoardField) => board.fields.get(field)?.(item) ?? []
  const value = (field: BoardField) => values(field)[0]
  const id = asId(value('id'))
  const sourceUrl = asWebUrl(value('url'))
  if (id === null || sourceUrl === null) return null
  return foundRequest({
    sourceId: `${board.name}/${id}`,
    sourceUrl,
    title: plainTitle(textOf(value('title'))),
    description: converted[board.textFormat](textOf(value('text'))),
    votes: numberOf(value('votes')),
    commentCount: numberOf(value('comments')),
    tags: cleanTags(values('tags').map(textOf)),
    authorName: value('author'),
    authorProfileUrl: value('authorUrl'),
    originalCreatedAt: dateOf(value('createdAt')),
    status: statusOfItem(board, statusWord(textOf(value('status')), names)),
    statusChangedAt: dateOf(value('statusChangedAt')),
    sourceName: asName(board.title),
    ...(board.areRequests ? { confidence: 1 } : {}),
  })
}

/** The status word; items may have its id instead. */
export const statusWord = (text: string, names?: ReadonlyMap<string, string>): string => names?.get(text) ?? text

/** Maps a status word by the description, else by the usual words; null if unknown. */
export const statusOfItem = ({ statuses }: Board, word: string) =>
  statuses.get(word.toLowerCase().trim()) ?? statusOfWord(word)
