import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { NewsSection, WatchNews } from '../api/types.ts'

/** What fits the goal of a watch, what is wanted more than before first. */
export const sections = ['rising', 'grown', 'newWishes', 'completed', 'declined'] as const satisfies NewsSection[]

/** How many news a watch has that fit its goal; what rises is in another list, too. */
export const newsCount = ({ totals }: WatchNews): number =>
  sections.reduce((sum, section) => sum + (section === 'rising' ? 0 : totals[section]), 0)

export const hasNews = (news: WatchNews): boolean => newsCount(news) + news.totals.other > 0 || news.topicRise !== null

/**
 * The news of all watches. What is marked as read stays on the screen until the page is left: a slip of the finger hides nothing.
 */
export function useNews() {
  const owner = useOwner()
  return useInfiniteQuery({
    queryKey: [owner, 'news'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(api.GET('/api/v1/news', { params: { query: pageAt(pageParam) }, signal })),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
    // Marked news must not come back from the cache.
    gcTime: 0,
  })
}

/** The last moment that these news have; null without any. */
const lastMoment = (watches: readonly WatchNews[]): string | null =>
  watches.reduce<string | null>((last, { until }) => (until !== null && until > (last ?? '') ? until : last), null)

/** Marks as read what is on the screen, never what became ready since. */
export function useMarking(watches: readonly WatchNews[]) {
  const [read, setRead] = useState<ReadonlySet<string>>(new Set())
  const marking = useMutation({
    mutationFn: (watchId: string | null) => {
      const marked = watchId === null ? watches : watches.filter((news) => news.watchId === watchId)
      const until = lastMoment(marked)
      if (until === null) return Promise.resolve(null)
      return dataOf(api.POST('/api/v1/news/read', { body: { ...(watchId === null ? {} : { watchId }), until } }))
    },
    onSuccess: (_answer, watchId) =>
      setRead((before) => new Set(watchId === null ? watches.map((news) => news.watchId) : [...before, watchId])),
  })
  return { read, marking }
}
