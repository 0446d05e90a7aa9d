import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'

export const briefsKey = (owner: string) => [owner, 'briefs'] as const

/** Every brief of the account, the last made first. */
export function useBriefs() {
  const owner = useOwner()
  return useQuery({
    queryKey: [...briefsKey(owner), 'list'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/briefs', { params: { query }, signal }))).results,
  })
}

/** @param onDeleted after the brief is gone */
export function useBriefDeletion(onDeleted: () => void = () => {}) {
  const owner = useOwner()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (briefId: string) => dataOf(api.DELETE('/api/v1/briefs/{briefId}', { params: { path: { briefId } } })),
    onSuccess: ({ briefId }) => {
      queries.removeQueries({ queryKey: [...briefsKey(owner), 'one', briefId] })
      void queries.invalidateQueries({ queryKey: [...briefsKey(owner), 'list'] })
      // The pages that showed it are gone, too.
      void queries.invalidateQueries({ queryKey: [owner, 'shares'] })
      onDeleted()
    },
  })
}
