import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, isStatus, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'

const key = (owner: string) => [owner, 'channels'] as const

/** The channels of the account, and the types that the service offers. A key that may not manage the account may not see them. */
export function useChannels() {
  const owner = useOwner()
  return useQuery({
    queryKey: [...key(owner), 'list'],
    queryFn: ({ signal }) => wholeList((query) => api.GET('/api/v1/channels', { params: { query }, signal })),
    retry: (failures, error) => failures < 2 && isStatus(error, 0, 500, 502, 504),
  })
}

/** Reads the channels and their deliveries again. */
export function useChannelsChanged(): () => void {
  const owner = useOwner()
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: key(owner) })
}
