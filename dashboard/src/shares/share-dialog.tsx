import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { NewShare, ShareTarget } from '../api/types.ts'
import { sharingAddress } from '../shell/addresses.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { date } from '../shell/format.ts'
import { Modal } from '../shell/modal.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { shareTexts as texts } from '../texts/later/shares.ts'
import { ShareLine } from './share-line.tsx'
import { sharesKey } from './shares.ts'
import { useRevocation, useSharesOf } from './use-shares.ts'

const expiries = [7, 30, 90, 365]

interface ShareDialogProps {
  target: ShareTarget
  close: () => void
}

/** Asks how long and with what, and shows the address, once. */
export default function ShareDialog({ target, close }: ShareDialogProps) {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  const [title, setTitle] = useState('')
  const [expiresInDays, setExpiry] = useState(30)
  const [withNotes, setWithNotes] = useState(false)
  const making = useMutation({
    // The address opens the page: it must not stay in the cache.
    gcTime: 0,
    mutationFn: (body: NewShare) => dataOf(api.POST('/api/v1/shares', { body, params: once(keyFor(body)) })),
    onSuccess: () => {
      done()
      void queries.invalidateQueries({ queryKey: sharesKey(owner) })
    },
  })
  const wanted: NewShare = {
    ...target,
    expiresInDays,
    withNotes,
    ...(title.trim() === '' ? {} : { title: title.trim() }),
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!making.isPending) making.mutate(wanted)
  }
  return (
    <Modal title={texts.title} close={close}>
      {making.data ? (
        <div className="share-made" role="status">
          <p>{texts.made(date(making.data.expiresAt))}</p>
          <code dir="ltr">{making.data.url}</code>
          <div className="actions">
            <CopyButton text={making.data.url} label={texts.copy} />
            <Link href={sharingAddress} onClick={close}>
              {texts.manage}
            </Link>
          </div>
        </div>
      ) : (
        <form className="share-form" onSubmit={submit}>
          <Present target={target} />
          <p className="note">{texts.intro}</p>
          <label>
            <span>{texts.name}</span>
            <input
              dir="auto"
              maxLength={100}
              value={title}
              placeholder={texts.namePlaceholder}
              onChange={({ target: { value } }) => setTitle(value)}
            />
          </label>
          <label>
            <span>{texts.expires}</span>
            <select value={expiresInDays} onChange={({ target: { value } }) => setExpiry(Number(value))}>
              {expiries.map((days) => (
                <option key={days} value={days}>
                  {texts.inDays(days)}
                </option>
              ))}
            </select>
          </label>
          {target.briefId === undefined && (
            <label className="check">
              <input
                type="checkbox"
                checked={withNotes}
                onChange={({ target: { checked } }) => setWithNotes(checked)}
              />
              <span>{texts.withNotes}</span>
            </label>
          )}
          {making.error !== null && <Problem error={making.error} retry={() => making.mutate(wanted)} />}
          <button type="submit" className="primary" disabled={making.isPending}>
            {making.isPending ? texts.making : texts.make}
          </button>
        </form>
      )}
    </Modal>
  )
}

/** The pages that there are of it, above the form of another one. */
function Present({ target }: Pick<ShareDialogProps, 'target'>) {
  const shares = useSharesOf(target)
  const revocation = useRevocation()
  if (shares.length === 0) return null
  return (
    <>
      <ul className="shares">
        {shares.map((share) => (
          <ShareLine key={share.shareId} share={share} revocation={revocation} />
        ))}
      </ul>
      {revocation.error !== null && <Problem error={revocation.error} />}
      <h3>{texts.another}</h3>
    </>
  )
}
