import { useState } from 'react'
import { useRateLeft } from '../api/rate-left.ts'
import { signOut } from '../api/session.ts'
import { ownerOf } from '../api/session-store.ts'
import type { Session } from '../api/types.ts'
import { shellTexts as texts } from '../texts/shell.ts'
import { useWatches } from '../watches/use-watches.ts'
import {
  accountAddress,
  channelsAddress,
  collectAddress,
  newsAddress,
  operatorAddress,
  searchAddress,
  topicsAddress,
  watchesAddress,
} from './addresses.ts'
import { Link, navigate } from './router.tsx'

const accountPages = [
  [searchAddress, texts.search],
  [collectAddress, texts.collect],
  [topicsAddress, texts.topics],
  [watchesAddress, texts.watches],
  [channelsAddress, texts.channels],
  [accountAddress, texts.account],
] as const

const operatorPages = [
  [operatorAddress, texts.accounts],
  [`${operatorAddress}/platforms`, texts.platforms],
  [`${operatorAddress}/jobs`, texts.jobs],
  [`${operatorAddress}/ledger`, texts.ledger],
] as const

/** Whether a page is the one at an address, or one below it. */
const isAt = (path: string, address: string): boolean =>
  path === address ||
  (address === operatorAddress
    ? path.startsWith(`${operatorAddress}/accounts`)
    : address !== searchAddress && path.startsWith(`${address}/`))

export function Header({ session, path }: { session: Session; path: string }) {
  return (
    <header className="header">
      <Link className="brand" href={session.kind === 'operator' ? operatorAddress : searchAddress}>
        {texts.product}
      </Link>
      {session.kind === 'operator' ? (
        <Navigation pages={operatorPages} path={path} />
      ) : (
        <AccountNavigation path={path} />
      )}
      <div className="who">
        <CallsLeft owner={ownerOf(session)} />
        <span className="name" dir="auto">
          {session.account?.name ?? texts.operator}
        </span>
        <SignOut />
      </div>
    </header>
  )
}

/** Who has watches comes for their news. */
function AccountNavigation({ path }: { path: string }) {
  const watches = useWatches()
  const hasWatches = (watches.data?.length ?? 0) > 0 || path === newsAddress
  return <Navigation pages={hasWatches ? [[newsAddress, texts.news], ...accountPages] : accountPages} path={path} />
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

function CallsLeft({ owner }: { owner: string }) {
  const left = useRateLeft(owner)
  if (left === null) return null
  return (
    <span className="calls-left" title={texts.callsLeft(left.remaining, left.limit)}>
      <meter min={0} max={left.limit} low={left.limit * 0.2} value={left.remaining} aria-hidden="true" />
      <span className="unseen">{texts.callsLeft(left.remaining, left.limit)}</span>
      <span aria-hidden="true">
        {left.remaining}/{left.limit}
      </span>
    </span>
  )
}

/** A failed sign-out is shown: on a shared machine it matters. */
function SignOut() {
  const [state, setState] = useState<'ready' | 'busy' | 'failed'>('ready')
  const leave = async () => {
    setState('busy')
    try {
      await signOut()
      navigate(searchAddress)
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
