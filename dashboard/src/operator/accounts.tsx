import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { SecretOnce } from '../account/secret-once.tsx'
import { useIntention } from '../api/intention.ts'
import { listAccounts, makeAccount } from '../api/operator-calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { Account, Tier } from '../api/types.ts'
import { operatorAccountAddress } from '../shell/addresses.ts'
import { date } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { accountTexts } from '../texts/account.ts'
import { operatorTexts as texts } from '../texts/operator.ts'

export const tierOrder: Tier[] = ['free', 'pro', 'max']

export const useAccounts = () => {
  const owner = useOwner()
  return useQuery({ queryKey: [owner, 'accounts'], queryFn: ({ signal }) => listAccounts({ signal }) })
}

export function Accounts() {
  const { data, error, refetch } = useAccounts()
  return (
    <Page title={texts.accounts}>
      <NewAccount />
      {data ? (
        <AccountTable accounts={data} />
      ) : error === null ? (
        <Loading />
      ) : (
        <Problem error={error} retry={refetch} />
      )}
    </Page>
  )
}

function NewAccount() {
  const id = useId()
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  const [name, setName] = useState('')
  const [tier, setTier] = useState<Tier>('free')
  const [isMissing, setMissing] = useState(false)
  const creation = useMutation({
    gcTime: 0,
    mutationFn: (account: { name: string; tier: Tier }) => makeAccount(account, keyFor(account)),
    onSuccess: () => {
      done()
      setName('')
      void queries.invalidateQueries({ queryKey: [owner, 'accounts'] })
    },
  })
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

interface TierSelectProps {
  id: string
  tier: Tier
  onChange: (tier: Tier) => void
  disabled?: boolean
}

export const TierSelect = ({ id, tier, onChange, disabled = false }: TierSelectProps) => (
  <select id={id} value={tier} disabled={disabled} onChange={(event) => onChange(event.target.value as Tier)}>
    {tierOrder.map((name) => (
      <option key={name} value={name}>
        {accountTexts.tiers[name]}
      </option>
    ))}
  </select>
)

const AccountTable = ({ accounts }: { accounts: Account[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it too
  <section className="table-frame" tabIndex={0} aria-label={texts.accounts}>
    <table>
      <caption className="unseen">{texts.accounts}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{accountTexts.plan}</th>
          <th scope="col">{texts.paygCap}</th>
          <th scope="col">{texts.madeOn}</th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <tr key={account.accountId}>
            <th scope="row">
              <Link href={operatorAccountAddress(account.accountId)}>
                <bdi>{account.name}</bdi>
              </Link>
            </th>
            <td>{accountTexts.tiers[account.tier]}</td>
            <td>{account.paygMonthlyCap ?? texts.none}</td>
            <td>{date(account.createdAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
