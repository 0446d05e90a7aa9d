import { useInfiniteQuery } from '@tanstack/react-query'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'

/** A wish with its requests, page by page. */
export function useWish(wishId: string) {
  const owner = useOwner()
  return useInfiniteQuery({
    queryKey: [owner, 'wish', wishId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(api.GET('/api/v1/wishes/{wishId}', { params: { path: { wishId }, query: pageAt(pageParam) }, signal })),
    getNextPageParam: ({ members }) => (members.hasMore ? members.cursor : undefined) ?? undefined,
  })
}
