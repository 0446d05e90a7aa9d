import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { search } from '../api/calls.ts'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { FoundRequest, SearchAnswer, SearchMeta } from '../api/types.ts'
import { listInput, pageSize, searchInput, type View } from './view.ts'

/** Results are read again only after this time: every call counts towards the limit. */
const staleMs = 5 * 60_000

/** One page of results: of a search, which continues at an offset, or of the list, which continues at a cursor. */
export interface ResultsPage {
  results: FoundRequest[]
  next: number | string | null
  limitReached: boolean
  meta: SearchMeta | null
}

export type Results = InfiniteData<ResultsPage, number | string | null>

export const toPage = (answer: SearchAnswer, offset: number): ResultsPage => ({
  results: answer.data.results,
  next: answer.data.hasMore ? offset + answer.data.results.length : null,
  limitReached: answer.data.limitReached,
  meta: answer.meta,
})

/** What is said of a request: how likely it is one, and whether a person said that. */
export type Judgement = Pick<FoundRequest, 'likelihood' | 'corrected'>

/**
 * The pages with another judgement of one request. The service may leave it out from now on: the next page begins one result earlier,
 * so that none is skipped.
 */
export function withJudgement({ pages, pageParams }: Results, requestId: string, judgement: Judgement): Results {
  const isOne = ({ _id }: FoundRequest) => _id === requestId
  if (!pages.some(({ results }) => results.some(isOne))) return { pages, pageParams }
  const judged = pages.map((page) => ({
    ...page,
    results: page.results.map((request) => (isOne(request) ? { ...request, ...judgement } : request)),
    next: typeof page.next === 'number' ? Math.max(0, page.next - 1) : page.next,
  }))
  return { pages: judged, pageParams }
}

/** The query key of the results of a view. */
export const resultsKey = (owner: string, view: View, typing: boolean) => [owner, 'results', view, typing] as const

/** During typing the last word also matches longer words; after Enter it must match exactly. */
export const pageInput = (view: View, offset: number, typing: boolean) => ({
  ...searchInput(view, { limit: pageSize, offset }),
  ...(typing ? { prefix: true } : {}),
})

/** The results of a view, page by page: one call a page. Leaving a view aborts its call. */
export function useResults(view: View, typing: boolean) {
  const owner = useOwner()
  return useInfiniteQuery({
    queryKey: resultsKey(owner, view, typing),
    initialPageParam: null as number | string | null,
    queryFn: async ({ pageParam, signal }): Promise<ResultsPage> => {
      if (view.query !== '') {
        const offset = typeof pageParam === 'number' ? pageParam : 0
        return toPage(await search(pageInput(view, offset, typing), signal), offset)
      }
      const cursor = typeof pageParam === 'string' ? pageParam : undefined
      const query = { ...listInput(view), ...pageAt(cursor, pageSize) }
      const { results, ...list } = await dataOf(api.GET('/api/v1/requests', { params: { query }, signal }))
      return { results, next: list.hasMore ? list.cursor : null, limitReached: false, meta: null }
    },
    getNextPageParam: (last): number | string | null => last.next,
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    refetchOnReconnect: (query) => query.state.status === 'error',
  })
}
