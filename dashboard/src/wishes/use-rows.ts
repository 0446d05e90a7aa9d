import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query'
import { searchWishes } from '../api/calls.ts'
import { answerOf, api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { FacetName, Facets, WishTrend } from '../api/types.ts'
import {
  countInput,
  listInput,
  listsRequests,
  pageSize,
  searchInput,
  type View,
  wishListInput,
  wishSearchBody,
} from '../search/view.ts'
import { type RowPage, rowOfFound, rowOfRequest, rowOfWish } from './rows.ts'

/** What was read is read again only after this time, or when something of the account changed it. */
const staleMs = 5 * 60_000

async function readSearch(view: View, offset: number, { typing, signal }: { typing: boolean; signal: AbortSignal }) {
  const { data, meta } = await searchWishes(wishSearchBody(view, { offset, typing }), signal)
  return {
    rows: data.results.map(rowOfFound),
    next: data.hasMore ? offset + data.results.length : null,
    limitReached: data.limitReached,
    meta,
  }
}

async function readList(view: View, cursor: string | undefined, signal: AbortSignal): Promise<RowPage> {
  const page = pageAt(cursor, pageSize)
  if (listsRequests(view)) {
    const query = { ...listInput(view), ...page }
    const { results, ...list } = await dataOf(api.GET('/api/v1/requests', { params: { query }, signal }))
    return { rows: results.map(rowOfRequest), next: list.cursor, limitReached: false, meta: null }
  }
  const query = { ...wishListInput(view), ...page }
  const { results, ...list } = await dataOf(api.GET('/api/v1/wishes', { params: { query }, signal }))
  return { rows: results.map(rowOfWish), next: list.cursor, limitReached: false, meta: null }
}

/**
 * The rows of a view, page by page. Each view has a query of its own, and leaving one aborts its call: what is stale never overwrites.
 * @param typing the last word is not finished: longer words match, too.
 */
export function useRows(view: View, typing: boolean) {
  const owner = useOwner()
  return useInfiniteQuery({
    queryKey: [owner, 'rows', view, typing],
    initialPageParam: null as number | string | null,
    queryFn: ({ pageParam, signal }): Promise<RowPage> =>
      view.query === ''
        ? readList(view, typeof pageParam === 'string' ? pageParam : undefined, signal)
        : readSearch(view, typeof pageParam === 'number' ? pageParam : 0, { typing, signal }),
    getNextPageParam: (last): number | string | null => last.next,
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    refetchOnReconnect: (query) => query.state.status === 'error',
  })
}

export interface Counts {
  total: number
  totalIsExact: boolean
  facets: Facets
}

const facets: FacetName[] = ['platform', 'status', 'tag', 'year', 'votes']

async function readCounts(view: View, { typing, signal }: { typing: boolean; signal: AbortSignal }): Promise<Counts> {
  if (view.query === '') {
    const { facets: counted = {}, ...totals } = await dataOf(
      api.GET('/api/v1/requests/facets', { params: { query: { ...countInput(view), facets } }, signal }),
    )
    return { ...totals, facets: counted }
  }
  const body = { ...searchInput(view, { limit: 1, offset: 0 }), facets, ...(typing ? { prefix: true } : {}) }
  const { meta } = await answerOf(api.POST('/api/v1/requests/search', { body, signal }))
  return { total: meta.total ?? 0, totalIsExact: meta.totalIsExact ?? true, facets: meta.facets ?? {} }
}

/**
 * How many requests a view has, by what one can filter; a call of its own.
 * @param hasRows whether the rows of the view are there: an embedded database does one thing at a time, and they come first.
 */
export function useCounts(view: View, typing: boolean, hasRows: boolean): Counts | undefined {
  const owner = useOwner()
  const { sortBy: _sortBy, ...counted } = view
  // A job's requests and one's own marks are not among what is counted.
  const isCounted = view.job === '' && view.mark === null && !view.isStarred
  const query = useQuery({
    queryKey: [owner, 'rows', 'counts', counted, typing],
    queryFn: ({ signal }) => readCounts(view, { typing, signal }),
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    enabled: isCounted && hasRows,
  })
  return isCounted ? query.data : undefined
}

/** So many wishes are asked for at once. */
const trendsPerCall = 50

export const trendsKey = (owner: string) => [owner, 'trends'] as const

/** How the votes of some wishes changed, and what the account noted about them; by their ids. They come after the rows. */
export function useTrends(wishIds: readonly string[], weeks = 12): ReadonlyMap<string, WishTrend> {
  const owner = useOwner()
  const parts = Array.from({ length: Math.ceil(wishIds.length / trendsPerCall) }, (_, part) =>
    wishIds.slice(part * trendsPerCall, (part + 1) * trendsPerCall),
  )
  return useQueries({
    queries: parts.map((part) => ({
      queryKey: [...trendsKey(owner), weeks, part],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        dataOf(api.GET('/api/v1/trends/wishes', { params: { query: { wishId: part, weeks } }, signal })),
      staleTime: staleMs,
    })),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }) => data?.wishes ?? []).map((trend) => [trend.wishId, trend])),
  })
}
