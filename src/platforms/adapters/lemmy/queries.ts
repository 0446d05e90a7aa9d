import { hourMs } from '../../../runtime/durations.ts'
import { asFields, asId, asList, asPage, type Fields } from '../../content/fields.ts'
import type { Json } from '../../platform.ts'
import { wishPhrases } from '../wish-phrases.ts'
import type { ApiVersion } from './version.ts'

/** The maximum of an instance; a larger one is a 400. */
export const pageSize = 50
/** Of version 3; a larger one is a 400 (db_schema/src/utils.rs). */
const lastPage = 100

/** A way in which people write a wish: before the words of the topic, or after them. */
export interface WishPattern {
  phrase: string
  isAfter: boolean
}

/**
 * Lemmy's search is one pattern over title or body, in which the order counts. People write the wish first ("I wish it had
 * dark mode"), but a mark in the title also stands behind it ("Dark mode [feature request]").
 */
export const wishPatterns: readonly WishPattern[] = [
  { phrase: wishPhrases[0], isAfter: false },
  { phrase: wishPhrases[0], isAfter: true },
  ...wishPhrases.slice(1).map((phrase) => ({ phrase, isAfter: false })),
]

/**
 * @param words of the topic, separated by spaces.
 * @returns a query that Lemmy never takes for an address or `!name@host` to look up; null when no word is left.
 */
export function lemmyQuery({ phrase, isAfter }: WishPattern, words: string): string | null {
  if (!isAfter) return `${phrase} ${words}`
  const start = words.replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}]+/u, '')
  return start === '' ? null : `${start} ${phrase}`
}

export interface LemmyRequest {
  path: string
  parameters: Record<string, string | number>
}

/**
 * @param cursor of `cursorAfter`; one of the other version begins at the first page.
 * @param ageMs of the oldest post that is wanted, newest first; null for all, the most votes first.
 */
export function lemmyRequest(version: ApiVersion, query: string, cursor: Json, ageMs: number | null): LemmyRequest {
  if (version === 3) {
    const sort = ageMs === null ? 'TopAll' : 'New'
    const parameters = { q: query, type_: 'Posts', listing_type: 'All', sort, limit: pageSize }
    return { path: '/api/v3/search', parameters: { ...parameters, page: asPage(cursor, 1) } }
  }
  // `/api/v4/search` has no order; `type_` is `local` unless it is sent (db_views/post/src/api.rs).
  const order = ageMs === null ? { sort: 'top' } : { sort: 'new', time_range_seconds: rangeSeconds(ageMs) }
  const parameters = { search_term: query, type_: 'all', ...order, limit: pageSize }
  const pageCursor = asId(asFields(cursor)?.after)
  return {
    path: '/api/v4/post/list',
    parameters: pageCursor === null ? parameters : { ...parameters, page_cursor: pageCursor },
  }
}

/**
 * An age in whole hours, so that it seldom changes between two pages, and an hour more: the clock of an instance may differ, and time
 * passes between two pages.
 */
const rangeSeconds = (ageMs: number): number => (Math.max(0, Math.ceil(ageMs / hourMs)) + 1) * (hourMs / 1000)

/** The views of posts in an answer of either version; betas of 1.0 call the list `items`, their search `search`. */
export const viewsOf = (body: Fields | null): unknown => asList(body?.posts) ?? asList(body?.items) ?? body?.search

/**
 * The cursor of the next page; null at the end. There is no total, some instances answer every page number with the same page,
 * and the version 3 of Lemmy 1.0 has only one page, which holds other kinds of things too.
 */
export function cursorAfter(version: ApiVersion, body: Fields | null, views: unknown[], cursor: Json): Json {
  const first = fingerprintOf(views)
  if (first !== null && first === asFields(cursor)?.first) return null
  if (version === 4) {
    const after = asId(body?.next_page)
    const isRepeated = after === asId(asFields(cursor)?.after)
    return after === null || isRepeated || views.length === 0 ? null : { after, first }
  }
  const page = asPage(cursor, 1)
  return views.length < pageSize || page >= lastPage || isShim(body) ? null : { page: page + 1, first }
}

/** Whether an answer ignored `type_=Posts`. */
const isShim = (body: Fields | null): boolean =>
  [body?.comments, body?.communities, body?.users].some((list) => (asList(list) ?? []).length > 0)

/** The identity of the first post of a page: it differs from page to page. */
function fingerprintOf(views: unknown[]): string | null {
  const post = asFields(asFields(views[0])?.post)
  return (
    post &&
    JSON.stringify([post.ap_id ?? null, post.id ?? null])
      .slice(0, 300)
      .toWellFormed()
  )
}
