import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { SecretOnce } from '../account/secret-once.tsx'
import { api, dataOf } from '../api/client.ts'
import type { Tracker } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { pushTexts as texts } from '../texts/later/pushes.ts'
import { Field, TrackerForm } from './tracker-form.tsx'
import { useTrackers, useTrackersChanged } from './use-pushes.ts'

/** Where the wishes of the account can be pushed. */
export default function Trackers() {
  const { data, error, refetch } = useTrackers()
  const [secret, setSecret] = useState<string | null>(null)
  const [isAdding, setAdding] = useState(false)
  return (
    <section id="trackers" aria-labelledby="trackers-title">
      <h2 id="trackers-title">{texts.title}</h2>
      <p className="note">{texts.intro}</p>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && <p className="note">{texts.none}</p>}
      {data && data.length > 0 && (
        <ul className="channel-list">
          {data.map((tracker) => (
            <TrackerCard key={tracker.trackerId} tracker={tracker} />
          ))}
        </ul>
      )}
      {secret !== null && (
        <SecretOnce
          title={texts.secretTitle}
          advice={texts.secretAdvice}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
      {isAdding ? (
        <TrackerForm
          onMade={(made) => {
            setAdding(false)
            setSecret(made.secret ?? null)
          }}
        />
      ) : (
        <div className="actions">
          <button type="button" onClick={() => setAdding(true)}>
            {texts.add}
          </button>
        </div>
      )}
    </section>
  )
}

function TrackerCard({ tracker: { trackerId, type, name, target, error } }: { tracker: Tracker }) {
  const [isChanging, setChanging] = useState(false)
  const changed = useTrackersChanged()
  const removal = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/v1/trackers/{trackerId}', { params: { path: { trackerId } } })),
    onSettled: changed,
  })
  return (
    <li className="card channel">
      <div className="section-head">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <div className="actions">
          {type !== 'webhook' && (
            <button type="button" aria-expanded={isChanging} onClick={() => setChanging(!isChanging)}>
              {texts.changeToken}
            </button>
          )}
          <ConfirmButton
            label={texts.removeLabel(name)}
            question={texts.removeQuestion}
            confirm={texts.removeConfirm}
            busy={removal.isPending}
            onConfirm={() => removal.mutate()}
          >
            {texts.remove}
          </ConfirmButton>
        </div>
      </div>
      <p className="origin">
        <span>{texts.types[type]}</span>
        <code dir="ltr">{target}</code>
        {error !== null && <span className="warned">{error}</span>}
      </p>
      {removal.error !== null && <Problem error={removal.error} />}
      {isChanging && <NewToken trackerId={trackerId} close={() => setChanging(false)} />}
    </li>
  )
}

function NewToken({ trackerId, close }: { trackerId: string; close: () => void }) {
  const [token, setToken] = useState('')
  const changed = useTrackersChanged()
  const saving = useMutation({
    mutationFn: () =>
      dataOf(api.PATCH('/api/v1/trackers/{trackerId}', { params: { path: { trackerId } }, body: { token } })),
    onSuccess: () => {
      changed()
      close()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  return (
    <form className="start-form" onSubmit={submit}>
      <Field label={texts.newToken} type="password" autoComplete="off" required value={token} onText={setToken} />
      {saving.error !== null && <Problem error={saving.error} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={saving.isPending}>
          {texts.saveToken}
        </button>
        <button type="button" className="quiet" onClick={close}>
          {texts.cancel}
        </button>
      </div>
    </form>
  )
}
