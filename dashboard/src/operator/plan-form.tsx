import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Account } from '../api/types.ts'
import { Problem } from '../shell/problem.tsx'
import { accountTexts } from '../texts/later/account.ts'
import { operatorTexts as texts } from '../texts/later/operator.ts'
import { TierSelect } from './tier-select.tsx'

const maxCap = 2 ** 31 - 1
const isCap = (text: string) => text === '' || (/^\d{1,10}$/.test(text) && Number(text) <= maxCap)

/** Plan and monthly cap of an account; both are effective from its next call. */
export function PlanForm({ account }: { account: Account }) {
  const id = useId()
  const owner = useOwner()
  const queries = useQueryClient()
  const [tier, setTier] = useState(account.tier)
  const [cap, setCap] = useState(account.paygMonthlyCap === null ? '' : String(account.paygMonthlyCap))
  const [isWrong, setWrong] = useState(false)
  const change = useMutation({
    mutationFn: () =>
      dataOf(
        api.PATCH('/api/admin/accounts/{accountId}', {
          params: { path: { accountId: account.accountId } },
          body: { tier, paygMonthlyCap: cap === '' ? null : Number(cap) },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: [owner, 'accounts'] })
      void queries.invalidateQueries({ queryKey: [owner, 'account', account.accountId, 'usage'] })
    },
  })
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    setWrong(!isCap(cap))
    if (isCap(cap)) change.mutate()
  }
  return (
    <form className="inline-form" onSubmit={submit} noValidate>
      <label htmlFor={`${id}-tier`}>{accountTexts.plan}</label>
      <TierSelect id={`${id}-tier`} tier={tier} onChange={setTier} />
      <label htmlFor={`${id}-cap`}>{texts.paygCap}</label>
      <input
        id={`${id}-cap`}
        inputMode="numeric"
        className="short"
        placeholder={texts.none}
        value={cap}
        aria-invalid={isWrong}
        aria-describedby={`${id}-fault`}
        onChange={(event) => setCap(event.target.value.trim())}
      />
      <button type="submit" disabled={change.isPending}>
        {change.isPending ? texts.saving : texts.save}
      </button>
      <p id={`${id}-fault`} className="fault" role="alert">
        {isWrong && texts.capFault}
      </p>
      <p role="status" className="note">
        {change.isSuccess && texts.saved}
      </p>
      {change.error !== null && <Problem error={change.error} retry={submit} />}
    </form>
  )
}
