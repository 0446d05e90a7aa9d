import { useQuery } from '@tanstack/react-query'
import { api, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import { addressOf } from '../search/view.ts'
import { standingViews } from './views.ts'

export const savedListKey = (owner: string) => [owner, 'views'] as const

/** The saved views of the account, as the service has them. */
export function useSavedList(enabled = true) {
  const owner = useOwner()
  return useQuery({
    queryKey: savedListKey(owner),
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/views', { params: { query }, signal }))).results,
    enabled,
  })
}

/** Whether an address is that of a view which everybody has. */
export const isStanding = (address: string): boolean => standingViews.some(({ view }) => addressOf(view) === address)
