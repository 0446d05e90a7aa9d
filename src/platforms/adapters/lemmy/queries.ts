import { hourMs } from '../../../runtime/durations.ts'
import { asFields, asId, asList, asPage, type Fields } from '../../content/fields.ts'
import type { Json } from '../../platform.ts'
import { wishPhrases } from '../wish-phrases.ts'
import type { ApiVersion } from './version.ts'

/** An instance's maximum; more is a 400. */
export const pageSize = 50
/** Maximum of version 3; more is a 400 (db_schema/src/utils.rs). */
const lastPage = 100

/** A wish phrase, and whether it stands before or after the topic. */
export interface WishPattern {
  phrase: string
  isAfter: boolean
}

/**
 * Lemmy matches one ordered pattern. The wish usually comes first ("I wish it had dark mode"), but a mark may end the
 * title ("Dark mode [feature request]").
 */
export const wishPatterns: readonly WishPattern[] = [
  { phrase: wishPhrases[0], isAfter: false },
  { phrase: wishPhrases[0], isAfter: true },
  ...wishPhrases.slice(1).map((phrase) => ({ phrase, isAfter: false })),
]

/** @returns a query Lemmy never takes for an address or `!name@host` to look up; null if no word is left */
export function lemmyQuery({ phrase, isAfter }: WishPattern, words: string): string | null {
  if (!isAfter) return `${phrase} ${words}`
  const start = words.replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}]+/u, '')
  return start === '' ? null : `${start} ${phrase}`
}

export interface LemmyRequest {
  path: string
  parameters: Record<string, string | number>
}

/** @param cursor of `cursorAfter`, in either version @param ageMs maximum, newest first; null: all by votes */
export function lemmyRequest(version: ApiVersion, query: string, cursor: Json, ageMs: number | null): LemmyRequest {
  if (version === 3) {
    const sort = ageMs === null ? 'TopAll' : 'New'
    const parameters = { q: query, type_: 'Posts', listing_type: 'All', sort, limit: pageSize }
    return { path: '/api/v3/search', parameters: { ...parameters, page: asPage(cursor, 1) } }
  }
  // `/api/v4/search` has no order; `type_` defaults to `local` (db_views/post/src/api.rs).
  const order = ageMs === null ? { sort: 'top' } : { sort: 'new', time_range_seconds: rangeSeconds(ageMs) }
  const parameters = { search_term: query, type_: 'all', ...order, limit: pageSize }
  const pageCursor = asId(asFields(cursor)?.after)
  return {
    path: '/api/v4/post/list',
    parameters: pageCursor === null ? parameters : { ...parameters, page_cursor: pageCursor },
  }
}

/** Whole hours, so that it rarely changes between pages, plus one for clock differences and elapsed time. */
const rangeSeconds = (ageMs: number): number => (Math.max(0, Math.ceil(ageMs / hourMs)) + 1) * (hourMs / 1000)

/** The post views in an answer of either version; 1.0 betas call the list `items`, their search `search`. */
export const viewsOf = (body: Fields | null): unknown => asList(body?.posts) ?? asList(body?.items) ?? body?.search

/**
 * Null at the end. There is no total, some instances repeat the same page for every number, and version 3 of Lemmy 1.0
 * has only one page, with other kinds of items too.
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

const isShim = (body: Fields | null): boolean =>
  [body?.comments, body?.communities, body?.users].some((list) => (asList(list) ?? []).length > 0)

function fingerprintOf(views: unknown[]): string | null {
  const post = asFields(asFields(views[0])?.post)
  return (
    post &&
    JSON.stringify([post.ap_id ?? null, post.id ?? null])
      .slice(0, 300)
      .toWellFormed()
  )
}
