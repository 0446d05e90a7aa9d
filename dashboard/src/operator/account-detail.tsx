import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pool } from '../account/account.tsx'
import { KeyTable } from '../account/key-table.tsx'
import { NewKeyForm } from '../account/new-key.tsx'
import { UsageChart } from '../account/usage-chart.tsx'
import { chartDays } from '../account/use-usage.ts'
import { api, dataOf, once, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Account } from '../api/types.ts'
import { operatorAccountsAddress } from '../shell/addresses.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Empty, Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate } from '../shell/router.tsx'
import { accountTexts } from '../texts/later/account.ts'
import { operatorTexts as texts } from '../texts/later/operator.ts'
import { Access } from './access.tsx'
import { useAccounts } from './accounts.tsx'
import { Grants } from './grants.tsx'
import { PlanForm } from './plan-form.tsx'

/** One account: plan, credits, keys, invitations, sessions. */
export function AccountDetail({ accountId }: { accountId: string }) {
  const { data, error, refetch } = useAccounts()
  const account = data?.find((one) => one.accountId === accountId)
  if (account) return <Detail account={account} />
  return (
    <Page title={texts.account}>
      {data ? (
        <Empty title={texts.noAccount}>
          <Link className="button" href={operatorAccountsAddress}>
            {texts.accounts}
          </Link>
        </Empty>
      ) : error === null ? (
        <Loading />
      ) : (
        <Problem error={error} retry={refetch} />
      )}
    </Page>
  )
}

function Detail({ account }: { account: Account }) {
  const { accountId } = account
  const owner = useOwner()
  const usage = useQuery({
    queryKey: [owner, 'account', accountId, 'usage'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/accounts/{accountId}/usage', {
          params: { path: { accountId }, query: { days: chartDays } },
          signal,
        }),
      ),
  })
  return (
    <Page title={account.name} actions={<DeleteAccount account={account} />}>
      <p className="crumb">
        <Link href={operatorAccountsAddress}>{texts.allAccounts}</Link> · <code>{accountId}</code>
      </p>
      <section aria-labelledby="plan">
        <h2 id="plan">{accountTexts.planAndCredits}</h2>
        {usage.data ? (
          <Pool usage={usage.data} />
        ) : usage.error === null ? (
          <Loading />
        ) : (
          <Problem error={usage.error} retry={usage.refetch} />
        )}
        <PlanForm key={`${account.tier} ${account.paygMonthlyCap}`} account={account} />
        <Grants account={account} />
      </section>
      {usage.data?.days && <UsageChart days={usage.data.days} />}
      <AccountKeys accountId={accountId} />
      <Access accountId={accountId} />
    </Page>
  )
}

function AccountKeys({ accountId }: { accountId: string }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const queryKey = [owner, 'account', accountId, 'keys']
  const path = { accountId }
  const keys = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/admin/accounts/{accountId}/keys', { params: { path, query }, signal })))
        .results,
  })
  const refresh = () => void queries.invalidateQueries({ queryKey })
  const revoke = useMutation({
    mutationFn: ({ keyId, withMade }: { keyId: string; withMade: boolean }) =>
      dataOf(api.DELETE('/api/admin/keys/{keyId}', { params: { path: { keyId }, query: { withMade } } })),
    onSettled: refresh,
  })
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">{accountTexts.keys}</h2>
      <NewKeyForm
        make={(body, key) =>
          dataOf(api.POST('/api/admin/accounts/{accountId}/keys', { params: { path, ...once(key) }, body }))
        }
        onMade={refresh}
        scope="manage"
      />
      {keys.data ? (
        <KeyTable
          keys={keys.data}
          busy={revoke.isPending ? revoke.variables.keyId : null}
          onRevoke={(keyId, withMade) => revoke.mutate({ keyId, withMade })}
          readMade={(keyId, signal) =>
            dataOf(api.GET('/api/admin/keys/{keyId}/made', { params: { path: { keyId } }, signal }))
          }
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

function DeleteAccount({ account }: { account: Account }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const deletion = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/api/admin/accounts/{accountId}', { params: { path: { accountId: account.accountId } } })),
    onSuccess: () => {
      navigate(operatorAccountsAddress, { replace: true })
      void queries.invalidateQueries({ queryKey: [owner, 'accounts'] })
    },
  })
  return (
    <>
      <ConfirmButton
        question={texts.deleteQuestion}
        confirm={texts.deleteConfirm}
        busy={deletion.isPending}
        onConfirm={() => deletion.mutate()}
      >
        {texts.deleteAccount}
      </ConfirmButton>
      {deletion.error !== null && <Problem error={deletion.error} />}
    </>
  )
}
