import { useQuery } from '@tanstack/react-query'
import { api, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'

export const sharesKey = (owner: string) => [owner, 'shares'] as const

/** Every page that the account shares: one call, whoever asks. */
export function useShares(enabled = true) {
  const owner = useOwner()
  return useQuery({
    queryKey: sharesKey(owner),
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/shares', { params: { query }, signal }))).results,
    enabled,
  })
}
