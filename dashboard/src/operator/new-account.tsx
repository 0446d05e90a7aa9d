import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { SecretOnce } from '../account/secret-once.tsx'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { Tier } from '../api/types.ts'
import { Problem } from '../shell/problem.tsx'
import { accountTexts } from '../texts/later/account.ts'
import { operatorTexts as texts } from '../texts/later/operator.ts'
import { TierSelect } from './tier-select.tsx'

function useAccountCreation(onCreated: () => void) {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  return useMutation({
    gcTime: 0,
    mutationFn: (account: { name: string; tier: Tier }) =>
      dataOf(api.POST('/api/admin/accounts', { body: account, params: once(keyFor(account)) })),
    onSuccess: () => {
      done()
      onCreated()
      void queries.invalidateQueries({ queryKey: [owner, 'accounts'] })
    },
  })
}

/** The form of a new account. Its API key is shown once. */
export function NewAccount() {
  const id = useId()
  const [name, setName] = useState('')
  const [tier, setTier] = useState<Tier>('free')
  const [isMissing, setMissing] = useState(false)
  const creation = useAccountCreation(() => setName(''))
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    setMissing(name.trim() === '')
    if (name.trim() !== '' && !creation.isPending) creation.mutate({ name: name.trim(), tier })
  }
  return (
    <section aria-label={texts.newAccount}>
      <form className="inline-form" onSubmit={submit} noValidate>
        <label htmlFor={`${id}-name`}>{texts.name}</label>
        <input
          id={`${id}-name`}
          dir="auto"
          maxLength={100}
          value={name}
          aria-invalid={isMissing}
          aria-describedby={`${id}-fault`}
          onChange={(event) => setName(event.target.value)}
        />
        <label htmlFor={`${id}-tier`}>{accountTexts.plan}</label>
        <TierSelect id={`${id}-tier`} tier={tier} onChange={setTier} />
        <button type="submit" className="primary" disabled={creation.isPending}>
          {creation.isPending ? texts.makingAccount : texts.makeAccount}
        </button>
        <p id={`${id}-fault`} className="fault" role="alert">
          {isMissing && texts.nameFault}
        </p>
      </form>
      {creation.error !== null && <Problem error={creation.error} retry={submit} />}
      {creation.data && (
        <SecretOnce
          title={texts.madeAccount(creation.data.name)}
          advice={accountTexts.madeKeyAdvice}
          secret={creation.data.apiKey}
          onClose={creation.reset}
        />
      )}
    </section>
  )
}
