import { lazy, useState } from 'react'
import { useUsage } from '../account/use-usage.ts'
import { isFree } from '../api/pricing.ts'
import { signOut } from '../api/session.ts'
import type { Session } from '../api/types.ts'
import { shellTexts as texts } from '../texts/shell.ts'
import {
  briefsAddress,
  homeAddress,
  operatorAccountsAddress,
  operatorAddress,
  settingsAddress,
  watchesAddress,
  wishesAddress,
} from './addresses.ts'
import { Aside } from './aside.tsx'
import { Link, navigate } from './router.tsx'

const CollectDialog = lazy(() => import('../collect/collect-dialog.tsx'))

const accountPages = [
  [homeAddress, texts.home],
  [wishesAddress, texts.wishes],
  [watchesAddress, texts.watches],
  [briefsAddress, texts.briefs],
  [settingsAddress, texts.settings],
] as const
const operatorPages = [
  [operatorAddress, texts.overview],
  [operatorAccountsAddress, texts.accounts],
  [`${operatorAddress}/platforms`, texts.platforms],
  [`${operatorAddress}/jobs`, texts.jobs],
  [`${operatorAddress}/ledger`, texts.ledger],
] as const

/** Whether a page is the one at an address, or one below it. */
const isAt = (path: string, address: string): boolean =>
  path === address || (address !== homeAddress && address !== operatorAddress && path.startsWith(`${address}/`))

export function Header({ session, path }: { session: Session; path: string }) {
  const isOperator = session.kind === 'operator'
  return (
    <header className={isOperator ? 'header' : 'header of-account'}>
      <Link className="brand" href={isOperator ? operatorAddress : homeAddress}>
        {texts.product}
      </Link>
      <Navigation pages={isOperator ? operatorPages : accountPages} path={path} />
      <div className="who">
        {!isOperator && <CreditsLeft />}
        {!isOperator && session.account?.scope !== 'read' && <Collect />}
        <span className="name" dir="auto">
          {session.account?.name ?? texts.operator}
        </span>
        <SignOut />
      </div>
    </header>
  )
}

interface NavigationProps {
  pages: readonly (readonly [address: string, title: string])[]
  path: string
}

const Navigation = ({ pages, path }: NavigationProps) => (
  <nav aria-label={texts.navigation}>
    {pages.map(([address, title]) => (
      <Link key={address} href={address} aria-current={isAt(path, address) ? 'page' : undefined}>
        {title}
      </Link>
    ))}
  </nav>
)

/** What can still be collected with; a link to where they went. */
function CreditsLeft() {
  const usage = useUsage()
  if (usage === undefined || isFree()) return null
  return (
    <Link className="credits-left" href={settingsAddress}>
      {texts.creditsLeft(usage.credits.remaining + usage.paygBalance)}
    </Link>
  )
}

/** The dialog of a collection, whatever page is open. */
function Collect() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="primary small" onClick={() => setOpen(true)}>
        {texts.collect}
      </button>
      {isOpen && (
        <Aside>
          <CollectDialog close={() => setOpen(false)} />
        </Aside>
      )}
    </>
  )
}

/** A failed sign-out is shown: on a shared machine it matters. */
export function SignOut() {
  const [state, setState] = useState<'ready' | 'busy' | 'failed'>('ready')
  const leave = async () => {
    setState('busy')
    try {
      await signOut()
      navigate(homeAddress)
    } catch {
      setState('failed')
    }
  }
  return (
    <>
      <button type="button" className="quiet" disabled={state === 'busy'} onClick={() => void leave()}>
        {state === 'busy' ? texts.signingOut : texts.signOut}
      </button>
      {state === 'failed' && (
        <p className="sign-out-failed" role="alert">
          {texts.signOutFailed}
        </p>
      )}
    </>
  )
}
