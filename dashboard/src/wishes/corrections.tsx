import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useMayChange, useOwner } from '../api/session-store.ts'
import type { MadeCorrection, WishDetail } from '../api/types.ts'
import { wishAddress } from '../shell/addresses.ts'
import { dateAndTime } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate } from '../shell/router.tsx'
import { tell } from '../shell/toast.tsx'
import { correctionTexts as texts } from '../texts/later/corrections.ts'
import { useChanges } from './changes.ts'

/** What the account said of a wish as a group, and holds now: each with its undo. */
export default function Corrections({ wish }: { wish: WishDetail }) {
  const { wishId } = wish
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'corrections', wishId],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/corrections/wishes', { params: { query: { wishId, limit: 20 } }, signal })),
  })
  if (!data && error !== null) return <Problem error={error} retry={refetch} />
  const made = data?.results.filter(({ kind }) => kind !== 'skip') ?? []
  // A merge whose request was split off since is said by the split.
  const shown = made.filter(
    (one, at) =>
      one.kind !== 'merge' ||
      !made.slice(0, at).some(({ kind, request }) => kind === 'split' && request?._id === one.request?._id),
  )
  if (shown.length === 0) return null
  return (
    <ul className="wish-corrections note" aria-label={texts.label}>
      {shown.map((one) => (
        <Made key={one.correctionId} wish={wish} made={one} />
      ))}
    </ul>
  )
}

function Made({ wish, made }: { wish: WishDetail; made: MadeCorrection }) {
  const { wishId } = wish
  const { undo } = useChanges()
  const mayChange = useMayChange()
  const [state, setState] = useState<'ready' | 'busy' | { error: unknown }>('ready')
  const kind = made.kind === 'skip' ? 'part' : made.kind
  const takeBack = async () => {
    setState('busy')
    try {
      await undo(made.correctionId)
      // The wish that a split made is gone with it.
      if (kind === 'split' && made.otherWishId === wishId) navigate(wishAddress(made.wishId))
      tell({ text: texts.undone[kind], undo: null })
    } catch (error) {
      setState({ error })
    }
  }
  return (
    <li>
      <span dir="auto" title={dateAndTime(made.correctedAt)}>
        <Said wish={wish} made={made} />
      </span>
      {mayChange && (
        <button
          type="button"
          className="quiet small"
          aria-label={texts.undoLabel[kind]}
          disabled={state === 'busy'}
          onClick={() => void takeBack()}
        >
          {texts.undo[kind]}
        </button>
      )}
      {typeof state === 'object' && <Problem error={state.error} />}
    </li>
  )
}

function Said({
  wish: { wishId, title: ownTitle },
  made: { kind, wishId: one, otherWishId, request, personName },
}: {
  wish: WishDetail
  made: MadeCorrection
}) {
  const by = texts.by(personName)
  const title = request?.title ?? null
  // The most voted request names the wish that it was merged into.
  if (kind === 'merge') return texts.merged(title === ownTitle ? null : title, by)
  if (kind === 'split' && one === wishId) return texts.tookOut(title, by)
  return (
    <>
      {kind === 'split' ? texts.splitOff(by) : texts.notTheSame(by)}{' '}
      <Link href={wishAddress(one === wishId ? otherWishId : one)}>{texts.formerly}</Link>
    </>
  )
}
