import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { listKeys, type MadeKey, makeKey, revokeKey } from '../api/calls.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { accountTexts as texts } from '../texts/account.ts'
import { KeyTable } from './key-table.tsx'
import { SecretOnce } from './secret-once.tsx'

/** The API keys of the account: creates, lists and revokes them. */
export function Keys() {
  const owner = useOwner()
  const queries = useQueryClient()
  const keys = useQuery({ queryKey: [owner, 'keys'], queryFn: ({ signal }) => listKeys({ signal }) })
  const refresh = () => void queries.invalidateQueries({ queryKey: [owner, 'keys'] })
  const revoke = useMutation({ mutationFn: revokeKey, onSettled: refresh })
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">{texts.keys}</h2>
      <p className="note">{texts.keysIntro}</p>
      <NewKey make={makeKey} onMade={refresh} />
      {keys.data ? (
        <KeyTable
          keys={keys.data}
          busy={revoke.isPending ? revoke.variables : null}
          onRevoke={(keyId) => revoke.mutate(keyId)}
        />
      ) : keys.error === null ? (
        <Loading />
      ) : (
        <Problem error={keys.error} retry={keys.refetch} />
      )}
      {revoke.error !== null && <Problem error={revoke.error} />}
    </section>
  )
}

interface NewKeyProps {
  make: (name: string, idempotencyKey: string) => Promise<MadeKey>
  onMade: () => void
}

function useKeyCreation({ make, onMade }: NewKeyProps) {
  const { keyFor, done } = useIntention()
  return useMutation({
    // The key is a secret: it must not stay in the query cache.
    gcTime: 0,
    mutationFn: (name: string) => make(name, keyFor(name)),
    onSuccess: () => {
      done()
      onMade()
    },
  })
}

/** The form of a new key. The key is shown until it is closed, and stored nowhere else. */
export function NewKey({ make, onMade }: NewKeyProps) {
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const onCreated = () => {
    setName('')
    onMade()
  }
  const creation = useKeyCreation({ make, onMade: onCreated })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(name.trim() === '')
    if (name.trim() !== '' && !creation.isPending) creation.mutate(name.trim())
  }
  return (
    <>
      <form className="inline-form" onSubmit={submit} noValidate>
        <label htmlFor="key-name">{texts.keyName}</label>
        <input
          id="key-name"
          dir="auto"
          maxLength={100}
          value={name}
          placeholder={texts.keyNamePlaceholder}
          aria-invalid={isMissing}
          aria-describedby="key-name-fault"
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" disabled={creation.isPending}>
          {creation.isPending ? texts.makingKey : texts.makeKey}
        </button>
        <p id="key-name-fault" className="fault" role="alert">
          {isMissing && texts.keyNameFault}
        </p>
      </form>
      {creation.error !== null && <Problem error={creation.error} retry={() => creation.mutate(creation.variables)} />}
      {creation.data && (
        <SecretOnce
          title={texts.madeKey}
          advice={texts.madeKeyAdvice}
          secret={creation.data.apiKey}
          onClose={creation.reset}
        />
      )}
    </>
  )
}
