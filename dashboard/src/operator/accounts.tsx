import { useQuery } from '@tanstack/react-query'
import { api, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Account } from '../api/types.ts'
import { operatorAccountAddress } from '../shell/addresses.ts'
import { ago, date, number } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { accountTexts } from '../texts/later/account.ts'
import { operatorTexts as texts } from '../texts/later/operator.ts'
import { NewAccount } from './new-account.tsx'

export const useAccounts = () => {
  const owner = useOwner()
  return useQuery({
    queryKey: [owner, 'accounts'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/admin/accounts', { params: { query }, signal }))).results,
  })
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

const AccountTable = ({ accounts }: { accounts: Account[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.accounts}>
    <table>
      <caption className="unseen">{texts.accounts}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{accountTexts.plan}</th>
          <th scope="col" className="number">
            {texts.usedThisMonth}
          </th>
          <th scope="col">{texts.lastSeen}</th>
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
            <td className="number">{number(account.usedThisMonth)}</td>
            <td>{account.lastSeenAt === null ? texts.never : ago(account.lastSeenAt)}</td>
            <td>{account.paygMonthlyCap ?? texts.none}</td>
            <td>{date(account.createdAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
