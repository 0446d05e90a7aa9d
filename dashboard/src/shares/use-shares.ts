import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Share, ShareTarget } from '../api/types.ts'
import { isSameList } from '../search/same-list.ts'
import { sharesKey, useShares } from './shares.ts'

/** The pages of what is shown here, the one that ends last first. */
export function useSharesOf({ wishId, topic, view, briefId }: ShareTarget): Share[] {
  const { data = [] } = useShares()
  const asked = { wishId: wishId ?? null, topic: topic ?? null, view: view ?? null, briefId: briefId ?? null }
  return data
    .filter(({ wishId: ofWish, topic: ofTopic, view: ofView, briefId: ofBrief }) =>
      isSameList({ wishId: ofWish, topic: ofTopic, view: ofView, briefId: ofBrief }, asked),
    )
    .sort((one, other) => other.expiresAt.localeCompare(one.expiresAt))
}

export function useRevocation() {
  const owner = useOwner()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (shareId: string) => dataOf(api.DELETE('/api/v1/shares/{shareId}', { params: { path: { shareId } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: sharesKey(owner) }),
  })
}
