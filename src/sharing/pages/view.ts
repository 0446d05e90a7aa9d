import { type Static, Type } from 'typebox'
import type { Database } from '../../database/open.ts'
import type { Account } from '../../http/callers.ts'
import { named } from '../../http/openapi-components.ts'
import { sortOrder } from '../../http/pagination.ts'
import { closed, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { importPlatform, platformNames } from '../../platforms/registry.ts'
import { bodyFilters, parseBodyFilters, type RequestFilters } from '../../requests/filters/filters.ts'
import { viewOf } from '../../requests/view.ts'
import { searchWishes } from '../../search/grouped.ts'
import { searchOrders } from '../../search/orders.ts'
import { parseQuery } from '../../search/query.ts'
import { searchCorrected, searchedFor } from '../../search/query-search.ts'
import type { SearchIndex, TotalsOfSearch } from '../../search/search-index.ts'
import { wishOrders } from '../../wishes/list/filters.ts'
import { listWishes } from '../../wishes/list/list.ts'
import { readWishes, type WishSummary, withoutOwn } from '../../wishes/list/summary.ts'
import { markFilterOf } from '../../wishes/marks/marks.ts'
import { markFilters } from '../../wishes/marks/routes.ts'

/** Wishes in a shared list, as many as a search returns. */
export const maxWishes = 100
/** Filtered lists may have short pages. */
const maxPages = 3

// A wish's numbers are those of likely requests, so there is nothing to include.
const { include: _include, ...wishFilters } = bodyFilters.properties

/** A saved list of wishes. */
export const listView = closed(
  {
    query: Type.Optional(trimmedText(1, 500, 'As in a search; without it the list of wishes')),
    filters: Type.Optional(
      closed(
        { ...wishFilters, ...markFilters },
        { ...named('WishFilters'), description: '`mark` and `starred` not with `query`' },
      ),
    ),
    sortBy: Type.Optional(
      sortOrder(['relevance', ...wishOrders], {
        description:
          'With `query` by relevance, votes or when they were first asked for, by default by relevance; without it by votes, requests, growth or when ' +
          'they were first asked for, by default by votes',
      }),
    ),
  },
  named('ListView'),
)

export const givenView = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'As it was given',
})

export type ListView = Static<typeof listView>

type Reader = Pick<Account, 'accountId' | 'hasOwnView'>

const isOneOf = <Word extends string>(words: readonly Word[], word: string): word is Word =>
  (words as readonly string[]).includes(word)

/** Parses a view. @throws ServiceError INVALID_REQUEST if it can never be read. */
function parseView({ query, filters = {}, sortBy }: ListView, reader: Reader) {
  const { mark, starred, ...given } = filters
  const marks = markFilterOf(reader.accountId, { mark, starred })
  const parsed = parseBodyFilters(given, reader)
  if (query === undefined) {
    const order = sortBy ?? 'votes'
    if (!isOneOf(wishOrders, order)) throw invalidField('view.sortBy', 'is only for a view with a query')
    return { kind: 'list' as const, filters: parsed, marks, order }
  }
  parseQuery(query)
  if (marks !== undefined) throw invalidField('view.filters', 'have no mark and no star with a query')
  const order = sortBy ?? 'relevance'
  if (!isOneOf(searchOrders, order)) throw invalidField('view.sortBy', 'is only for a view without a query')
  return { kind: 'search' as const, query, filters: parsed, order }
}

/** @throws ServiceError INVALID_REQUEST for a view that can never be read. */
export const checkView = (view: ListView, reader: Reader): void => void parseView(view, reader)

interface ReadDependencies {
  database: Database
  searchIndex: SearchIndex
}

export interface ReadView {
  wishes: WishSummary[]
  hasMore: boolean
  /** The searched query; null for a list. */
  searched: TotalsOfSearch | null
}

/** Excludes what the reader imported: others must not learn of it, or how much it is. */
export const publicOnly = <Filters extends Pick<RequestFilters, 'platforms'>>(
  filters: Filters,
  reader: Reader,
): Filters =>
  reader.hasOwnView
    ? { ...filters, platforms: (filters.platforms ?? platformNames).filter((name) => name !== importPlatform) }
    : filters

/** Reads a view's current wishes, without imports; for a query, those with a request that has all its words. */
export async function readView(
  view: ListView,
  reader: Reader & { now: Date },
  { database, searchIndex }: ReadDependencies,
): Promise<ReadView> {
  const asked = parseView(view, reader)
  const seen = { view: viewOf(reader), now: reader.now }
  if (asked.kind === 'search') {
    const filters = publicOnly(asked.filters, reader)
    const input = { query: asked.query, offset: 0, limit: maxWishes, filters, sortBy: asked.order }
    const found = await searchCorrected(searchIndex, database, input, (query) =>
      searchWishes(searchIndex, database, query),
    )
    const ids = found.results.flatMap(({ wishId, hasAllWords }) => (hasAllWords && wishId !== null ? [wishId] : []))
    const hasMore = ids.length >= maxWishes && found.more
    const searched = searchedFor({ query: asked.query, filters }, found.understood)
    return { wishes: withoutOwn(await readWishes(database, ids, seen)), hasMore, searched }
  }
  const { view: _view, ...filters } = asked.filters
  const wishes: WishSummary[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && wishes.length < maxWishes; page++) {
    const list = { ...filters, marks: asked.marks, sortBy: asked.order, limit: maxWishes - wishes.length, cursor }
    const found = await listWishes(database, { ...list, ...seen })
    wishes.push(...withoutOwn(found.results))
    cursor = found.cursor ?? undefined
    if (cursor === undefined) break
  }
  return { wishes, hasMore: cursor !== undefined, searched: null }
}
