import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import type { Push, Tracker } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { dateAndTime } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { pushTexts as texts } from '../texts/later/pushes.ts'
import { wishPageTexts } from '../texts/later/wish.ts'
import { Drafts } from './drafts.tsx'
import { usePushes, useTrackers, useTrackersChanged } from './use-pushes.ts'

/** The issues of a wish at the trackers of the account, and a button for each tracker that has none. Nothing without a tracker. */
export default function WishPushes({ wishId }: { wishId: string }) {
  const { data: trackers = [] } = useTrackers()
  const { data: pushes, error, refetch } = usePushes(wishId)
  const changed = useTrackersChanged()
  const pushing = useMutation({
    mutationFn: (trackerId: string) =>
      dataOf(api.POST('/api/v1/wishes/{wishId}/pushes', { params: { path: { wishId } }, body: { trackerId } })),
    onSettled: changed,
  })
  if (trackers.length === 0) return null
  if (pushes === undefined) return error === null ? null : <Problem error={error} retry={refetch} />
  const open = trackers.filter(({ trackerId }) => !pushes.some((push) => push.trackerId === trackerId))
  return (
    <section className="wish-pushes" aria-label={texts.label}>
      {pushes.length > 0 && (
        <ul className="wish-corrections">
          {pushes.map((push) => (
            <Pushed
              key={push.pushId}
              push={push}
              tracker={trackers.find(({ trackerId }) => trackerId === push.trackerId)}
              isBusy={pushing.isPending}
              again={() => pushing.mutate(push.trackerId)}
            />
          ))}
        </ul>
      )}
      {open.length > 0 && (
        <details className="menu">
          <summary>{texts.pushTo}</summary>
          <div className="menu-body">
            {open.map(({ trackerId, name, target }) => (
              <button
                key={trackerId}
                type="button"
                disabled={pushing.isPending}
                title={target}
                onClick={() => pushing.mutate(trackerId)}
              >
                <bdi>{name}</bdi>
              </button>
            ))}
          </div>
        </details>
      )}
      {pushing.error !== null && <Problem error={pushing.error} />}
    </section>
  )
}

interface PushedProps {
  push: Push
  tracker: Tracker | undefined
  isBusy: boolean
  again: () => void
}

function Pushed({ push, tracker, isBusy, again }: PushedProps) {
  const { pushId, state, issue, error } = push
  const [hasDrafts, setDrafts] = useState(false)
  const changed = useTrackersChanged()
  const undoing = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/v1/pushes/{pushId}', { params: { path: { pushId } } })),
    onSettled: changed,
  })
  const name = tracker?.name ?? ''
  const isThere = state === 'sent' || state === 'waiting'
  return (
    <li>
      <span title={error ?? undefined}>
        <bdi>{name}</bdi>: {issue && <IssueLink issue={issue} />} <Standing push={push} />
      </span>
      {state === 'sent' && (
        <button type="button" className="quiet small" aria-expanded={hasDrafts} onClick={() => setDrafts(!hasDrafts)}>
          {texts.drafts}
        </button>
      )}
      {isThere ? (
        <ConfirmButton
          label={texts.undoLabel(name)}
          question={texts.undoQuestion}
          confirm={texts.undoConfirm}
          busy={undoing.isPending}
          onConfirm={() => undoing.mutate()}
          className="quiet small"
        >
          {texts.undo}
        </ConfirmButton>
      ) : (
        state !== 'undoing' && (
          <button type="button" className="quiet small" disabled={isBusy} onClick={again}>
            {texts.again}
          </button>
        )
      )}
      {error !== null && <span className="note warned">{error}</span>}
      {undoing.error !== null && <Problem error={undoing.error} />}
      {hasDrafts && state === 'sent' && <Drafts pushId={pushId} />}
    </li>
  )
}

const IssueLink = ({ issue: { key, url } }: { issue: NonNullable<Push['issue']> }) =>
  url === null ? (
    <bdi>{key}</bdi>
  ) : (
    <a href={url} target="_blank" rel="noopener noreferrer">
      <bdi>{key}</bdi>
    </a>
  )

/** What became of the issue, in one word; that of the wish is another. */
function Standing({ push: { state, status, statusAt } }: { push: Push }) {
  if (state !== 'sent') return <span className="badge waiting">{texts.state[state]}</span>
  if (status === null) return null
  return (
    <span className={`badge status-${status}`} title={statusAt === null ? undefined : dateAndTime(statusAt)}>
      {wishPageTexts.statusOf(status)}
    </span>
  )
}
