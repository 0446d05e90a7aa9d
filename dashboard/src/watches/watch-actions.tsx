import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { Watch } from '../api/types.ts'
import { BriefButton } from '../briefs/brief-button.tsx'
import { FeedButton } from '../feeds/feed-button.tsx'
import { jobAddress, newsAddress, watchAddress, watchesAddress } from '../shell/addresses.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { focusHeading } from '../shell/focus.ts'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate } from '../shell/router.tsx'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { watchesKey } from './use-watches.ts'

/** Run, pause, change, follow. */
export function WatchActions({ watch }: { watch: Watch }) {
  const state = useStateChange(watch)
  return (
    <>
      <Link className="button" href={newsAddress}>
        {texts.toNews}
      </Link>
      <RunNow watch={watch} />
      {watch.state !== 'asking' && (
        <button
          type="button"
          disabled={state.isPending}
          onClick={() => state.mutate(watch.state === 'active' ? 'paused' : 'active')}
        >
          {watch.state === 'active' ? texts.pause : texts.resume}
        </button>
      )}
      <Link className="button" href={watchAddress(watch.watchId, 'change')} onClick={focusHeading}>
        {texts.change}
      </Link>
      <BriefButton target={{ watchId: watch.watchId }} />
      <FeedButton target={{ kind: 'watch', watchId: watch.watchId }} />
      {state.error !== null && <Problem error={state.error} retry={() => state.mutate(state.variables)} />}
    </>
  )
}

/** Setting a state twice is setting it once, so it needs no key. */
function useStateChange({ watchId }: Watch) {
  const owner = useOwner()
  const queries = useQueryClient()
  const params = { path: { watchId } }
  return useMutation({
    mutationFn: (state: 'active' | 'paused') =>
      dataOf(api.PATCH('/api/v1/watches/{watchId}', { params, body: { state } })),
    onSettled: () => queries.invalidateQueries({ queryKey: watchesKey(owner) }),
  })
}

/** Starts a run now, after saying what it costs at most. */
function RunNow({ watch: { watchId, preview, depth, platforms } }: { watch: Watch }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  const run = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v1/watches/{watchId}/run', { params: { path: { watchId }, ...once(keyFor(watchId)) } })),
    onSuccess: done,
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: watchesKey(owner) })
      void queries.invalidateQueries({ queryKey: [owner, 'usage'] })
      void queries.invalidateQueries({ queryKey: [owner, 'jobs'] })
    },
  })
  return (
    <>
      <ConfirmButton
        className=""
        question={texts.runQuestion(preview.runs[0]?.maxCredits ?? depth * platforms.length)}
        confirm={texts.runConfirm}
        busy={run.isPending}
        onConfirm={() => run.mutate()}
      >
        {run.isPending ? texts.running : texts.run}
      </ConfirmButton>
      {run.data && (
        <span role="status">
          {texts.started} <Link href={jobAddress(run.data.jobId)}>{texts.toJob}</Link>
        </span>
      )}
      {run.error !== null && <Problem error={run.error} retry={() => run.mutate()} />}
    </>
  )
}

/** Nobody looked for long, or nobody pays, so the watch waits until its owner says that it goes on. */
export function Asking({ watch }: { watch: Watch }) {
  const state = useStateChange(watch)
  return (
    <div className="session-ended asking">
      <p>
        <strong>{texts.asking}</strong> {watch.askingBecause !== null && texts.askingBecause[watch.askingBecause]}{' '}
        {texts.askingAdvice}
      </p>
      <p className="actions">
        <button type="button" className="primary" disabled={state.isPending} onClick={() => state.mutate('active')}>
          {texts.resume}
        </button>
        <button type="button" disabled={state.isPending} onClick={() => state.mutate('paused')}>
          {texts.pause}
        </button>
      </p>
      {state.error !== null && <Problem error={state.error} retry={() => state.mutate(state.variables)} />}
    </div>
  )
}

export function RemoveWatch({ watch }: { watch: Watch }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const removal = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/v1/watches/{watchId}', { params: { path: { watchId: watch.watchId } } })),
    onSuccess: () => {
      queries.removeQueries({ queryKey: [...watchesKey(owner), 'one', watch.watchId] })
      void queries.invalidateQueries({ queryKey: [...watchesKey(owner), 'list'] })
      navigate(watchesAddress)
    },
  })
  return (
    <section className="removal" aria-label={texts.remove}>
      <ConfirmButton
        question={texts.removeQuestion}
        confirm={texts.removeConfirm}
        busy={removal.isPending}
        onConfirm={() => removal.mutate()}
      >
        {texts.removeIt}
      </ConfirmButton>
      {removal.error !== null && <Problem error={removal.error} retry={() => removal.mutate()} />}
    </section>
  )
}
