import { useQuery } from '@tanstack/react-query'
import { api, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'

const staleMs = 60_000

export const watchesKey = (owner: string) => [owner, 'watches'] as const

/** The watches of the account: one call for the navigation, the list and the news. */
export function useWatches() {
  const owner = useOwner()
  return useQuery({
    queryKey: [...watchesKey(owner), 'list'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/watches', { params: { query }, signal }))).results,
    staleTime: staleMs,
  })
}
