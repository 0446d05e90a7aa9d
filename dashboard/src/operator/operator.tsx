import { operatorAccountsAddress } from '../shell/addresses.ts'
import { Empty, Page } from '../shell/page.tsx'
import { Link } from '../shell/router.tsx'
import { operatorTexts as texts } from '../texts/later/operator.ts'
import { AccountDetail } from './account-detail.tsx'
import { Accounts } from './accounts.tsx'
import { AllJobs } from './all-jobs.tsx'
import { Ledger } from './ledger.tsx'
import { OverviewPage } from './overview.tsx'
import { Platforms } from './platforms.tsx'

/** The operator's pages, with the admin key. */
export function OperatorPages({ parts: [first, second, ...rest] }: { parts: (string | undefined)[] }) {
  if (rest.length === 0) {
    if (first === undefined) return <OverviewPage />
    if (first === 'accounts' && second === undefined) return <Accounts />
    if (first === 'accounts' && second !== undefined) return <AccountDetail key={second} accountId={second} />
    if (first === 'platforms' && second === undefined) return <Platforms />
    if (first === 'jobs' && second === undefined) return <AllJobs />
    if (first === 'ledger' && second === undefined) return <Ledger />
  }
  return (
    <Page title={texts.notFound}>
      <Empty title={texts.notFound}>
        <Link className="button" href={operatorAccountsAddress}>
          {texts.accounts}
        </Link>
      </Empty>
    </Page>
  )
}
