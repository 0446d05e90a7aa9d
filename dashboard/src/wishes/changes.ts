import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { MarkChange, WishCorrection, WishMark, WishTrend } from '../api/types.ts'
import { tell } from '../shell/toast.tsx'
import { wishTexts as texts } from '../texts/wishes.ts'
import { trendsKey } from './use-rows.ts'

// What people say of wishes. Everything can be taken back, and counts at once.

interface Trends {
  days: string[]
  wishes: WishTrend[]
}

/** What a mark was before, as a change that restores it. */
const changeTo = (mark: WishMark): Required<MarkChange> => ({
  mark: mark?.mark ?? null,
  starred: mark?.starred ?? false,
  note: mark?.note ?? '',
  owner: mark?.owner ?? '',
})

async function putMark(queries: QueryClient, owner: string, wishId: string, change: MarkChange): Promise<void> {
  const { mark } = await dataOf(api.PUT('/api/v1/wishes/{wishId}/mark', { params: { path: { wishId } }, body: change }))
  queries.setQueriesData<Trends>(
    { queryKey: trendsKey(owner) },
    (trends) =>
      trends && { ...trends, wishes: trends.wishes.map((one) => (one.wishId === wishId ? { ...one, mark } : one)) },
  )
  // Lists by mark have changed; the one on the screen stays as it is until it is left.
  void queries.invalidateQueries({ queryKey: [owner, 'wish', wishId] })
  void queries.invalidateQueries({ queryKey: [owner, 'rows'], refetchType: 'none' })
  // On Home the mark is read with its lists, which do not depend on it.
  void queries.invalidateQueries({ queryKey: [owner, 'changes'] })
}

type Wished = { wishId: string; title: string }

const takeBack = (correctionId: string) =>
  dataOf(api.DELETE('/api/v1/corrections/wishes/{correctionId}', { params: { path: { correctionId } } }))

/** The changes that a person makes, each with its undo. */
export function useChanges() {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  return useMemo(() => {
    const reread = () =>
      Promise.all(
        ['rows', 'wish', 'trends', 'suggestions', 'changes', 'corrections'].map((name) =>
          queries.invalidateQueries({ queryKey: [owner, name] }),
        ),
      )
    const corrected = async (text: string, body: WishCorrection) => {
      const call = api.POST('/api/v1/corrections/wishes', { body, params: once(keyFor(body)) })
      const { correctionId } = await dataOf(call)
      done()
      await reread()
      tell({ text, undo: () => takeBack(correctionId).then(reread) })
    }
    return {
      undo: (correctionId: string) => takeBack(correctionId).then(reread),
      mark: async ({ wishId, title }: Wished, before: WishMark, change: MarkChange) => {
        await putMark(queries, owner, wishId, change)
        tell({ text: texts.changed(title, change), undo: () => putMark(queries, owner, wishId, changeTo(before)) })
      },
      merge: (into: Wished, other: Wished) =>
        corrected(texts.merged(into.title, other.title), {
          kind: 'merge',
          wishId: into.wishId,
          otherWishId: other.wishId,
        }),
      part: (one: Wished, other: Wished) =>
        corrected(texts.parted(other.title), { kind: 'part', wishId: one.wishId, otherWishId: other.wishId }),
      split: (wish: Wished, request: { _id: string; title: string }) =>
        corrected(texts.splitOff(request.title), { kind: 'split', wishId: wish.wishId, requestIds: [request._id] }),
      reread,
    }
  }, [owner, queries, keyFor, done])
}
