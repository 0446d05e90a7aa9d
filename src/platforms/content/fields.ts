import type { FoundRequest } from '../platform.ts'
import { firstSentence, plainName } from './text.ts'

/** Untrusted JSON. Its readers return null for missing or malformed values: a bad field never fails a page. */
export type Fields = Record<string, unknown>

// Largest count that fits a four-byte column.
const countLimit = 2 ** 31 - 1
const urlLimit = 2000

export function asFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

export function asList(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : null
}

/** A string unchanged, even if empty; clean with `text.ts` before storing. */
export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A name, handle or license as one clean line; null if empty. */
export function asName(value: unknown): string | null {
  const name = typeof value === 'string' ? plainName(value) : ''
  return name === '' ? null : name
}

/** A whole number that fits four bytes. */
export function asInteger(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  return Math.max(-countLimit, Math.min(countLimit, Math.trunc(value)))
}

/** An id: a number, or visible ASCII, as text. */
export function asId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null
}

/** A link safe to show: http or https, never `javascript:`. */
export function asWebUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > urlLimit) return null
  return /^https?:\/\/[^\s\p{Cc}\p{Surrogate}]+$/iu.test(value) && URL.canParse(value) ? value : null
}

/** V8 reads 30 February as 2 March. */
function isNoDay(text: string): boolean {
  const [day = ''] = text.split(/[T ]\d+:/)
  return /\b(?:29|30|31)\b/.test(day) && new Date(`${day} UTC`).getUTCDate() < 4
}

/** Parses ISO 8601 and similar text, UTC without a time zone; null if no such day exists. */
export function asDate(value: unknown): Date | null {
  if (typeof value !== 'string' || value.length > 40 || isNoDay(value)) return null
  const hasZone = !/^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value)
  return plausible(new Date(hasZone ? value : `${value}Z`))
}

const asMoment = (value: unknown): Date | null => (value instanceof Date ? value : asDate(value))

/** Parses seconds since 1970. */
export function asEpochSeconds(value: unknown): Date | null {
  return typeof value === 'number' ? plausible(new Date(value * 1000)) : null
}

/** The page of a `{page}` cursor; `first` for null or another form. */
export function asPage(cursor: unknown, first: number): number {
  const page = asFields(cursor)?.page
  return typeof page === 'number' && Number.isSafeInteger(page) && page >= first ? page : first
}

/** Fields that `foundRequest` parses from raw values. */
type Read = 'votes' | 'commentCount' | 'authorName' | 'authorHandle' | 'authorProfileUrl' | 'license' | Moment
/** A date, or its text. */
type Moment = 'originalCreatedAt' | 'statusChangedAt'

/** Builds a request, with defaults for missing or malformed fields. */
export function foundRequest(
  known: Pick<FoundRequest, 'sourceId' | 'sourceUrl' | 'title' | 'description'> &
    Partial<Omit<FoundRequest, Read>> & { [Field in Read]?: unknown },
): FoundRequest {
  return {
    tags: [],
    stars: null,
    status: null,
    excerpt: false,
    sourceName: null,
    refreshHandle: null,
    ownSource: null,
    ...known,
    title: known.title === '' ? firstSentence(known.description) : known.title,
    votes: asInteger(known.votes) ?? 0,
    commentCount: asInteger(known.commentCount),
    authorName: asName(known.authorName),
    authorHandle: asName(known.authorHandle),
    authorProfileUrl: asWebUrl(known.authorProfileUrl),
    license: asName(known.license),
    originalCreatedAt: asMoment(known.originalCreatedAt),
    statusChangedAt: asMoment(known.statusChangedAt),
  }
}

function plausible(date: Date): Date | null {
  const year = date.getUTCFullYear()
  return year >= 1970 && year <= 9999 ? date : null
}
