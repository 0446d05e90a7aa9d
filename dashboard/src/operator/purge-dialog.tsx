import { type FormEvent, useState } from 'react'
import type { Purge, Purged } from '../api/types.ts'
import { platformTitle } from '../shell/format.ts'
import { Modal } from '../shell/modal.tsx'
import { Problem } from '../shell/problem.tsx'
import { purgeTexts as texts } from '../texts/later/purge.ts'

export type PurgeKind = 'author' | 'url' | 'olderThanDays' | 'platform'

/** What is to be deleted, and the name that is typed to confirm it. */
export interface ChosenPurge {
  kind: PurgeKind
  name: string
  body: Purge
}

interface PurgeDialogProps {
  purge: ChosenPurge
  found: Purged
  deletion: { isPending: boolean; error: unknown; mutate: (purge: ChosenPurge) => void }
  close: () => void
}

/** What will go, and the question for its name. */
export default function PurgeDialog({ purge, found, deletion, close }: PurgeDialogProps) {
  const [typed, setTyped] = useState('')
  const { matched, matchedByPlatform, samples } = found
  const isNamed = typed.trim() === purge.name
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isNamed && !deletion.isPending) deletion.mutate(purge)
  }
  return (
    <Modal title={texts.dialog} close={close}>
      <p>
        <strong>{texts.matched(matched)}</strong>{' '}
        {Object.entries(matchedByPlatform)
          .filter(([, count]) => count > 0)
          .map(([platform, count]) => texts.ofPlatform(platformTitle(platform), count))
          .join(' · ')}
      </p>
      <ul className="links">
        {samples.map(({ _id, title, authorName, authorHandle, sourcePlatform }) => (
          <li key={_id} dir="auto">
            {title}{' '}
            <span className="note">
              {[platformTitle(sourcePlatform), authorName ?? authorHandle].filter(Boolean).join(' · ')}
            </span>
          </li>
        ))}
        {matched > samples.length && <li className="note">{texts.more(matched - samples.length)}</li>}
      </ul>
      <p className="note">
        {texts.suppressed[purge.kind]} {texts.forGood}
      </p>
      <form onSubmit={submit}>
        <label className="field">
          <span>{texts.typeName(purge.name)}</span>
          <input dir="auto" autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />
        </label>
        {deletion.error !== null && <Problem error={deletion.error} />}
        <div className="actions">
          <button type="submit" className="danger" disabled={!isNamed || deletion.isPending}>
            {deletion.isPending ? texts.deleting : texts.confirm(matched)}
          </button>
          <button type="button" className="quiet" onClick={close}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Modal>
  )
}
