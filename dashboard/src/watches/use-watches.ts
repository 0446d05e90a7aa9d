import { useQuery } from '@tanstack/react-query'
import { api, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { ListedWatch } from '../api/types.ts'

const staleMs = 60_000

/** So often the state of a run under way is read. */
export const runningMs = 3_000

/** Whether the last run of a watch is under way. */
export const isRunning = ({ lastRun }: Pick<ListedWatch, 'lastRun'>): boolean =>
  lastRun?.status === 'running' || lastRun?.status === 'pending'

export const watchesKey = (owner: string) => [owner, 'watches'] as const

/** The watches of the account: one call for the navigation, the list and the news. */
export function useWatches() {
  const owner = useOwner()
  return useQuery({
    queryKey: [...watchesKey(owner), 'list'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/watches', { params: { query }, signal }))).results,
    staleTime: staleMs,
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? runningMs : false),
  })
}
