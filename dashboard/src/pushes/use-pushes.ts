import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, isStatus, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'

const key = (owner: string) => [owner, 'trackers'] as const
/** While an issue is being made or closed. */
const pollMs = 3_000

const retry = (failures: number, reason: Error) => failures < 2 && isStatus(reason, 0, 500, 502, 504)

/** The trackers of the account. */
export function useTrackers() {
  const owner = useOwner()
  return useQuery({
    queryKey: [...key(owner), 'list'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/trackers', { params: { query }, signal }))).results,
    retry,
  })
}

/** The pushes of a wish, the last made first. */
export function usePushes(wishId: string) {
  const owner = useOwner()
  return useQuery({
    queryKey: [...key(owner), 'pushes', wishId],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/api/v1/pushes', { params: { query: { wishId, limit: 100 } }, signal }))).results,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ state }) => state === 'waiting' || state === 'undoing') ? pollMs : false,
    retry,
  })
}

/** Reads the trackers and pushes again. */
export function useTrackersChanged(): () => void {
  const owner = useOwner()
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: key(owner) })
}
