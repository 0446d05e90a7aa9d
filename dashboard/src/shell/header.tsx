import { useState } from 'react'
import { useRateLeft } from '../api/rate-left.ts'
import { signOut } from '../api/session.ts'
import { ownerOf } from '../api/session-store.ts'
import type { Session } from '../api/types.ts'
import { shellTexts as texts } from '../texts/shell.ts'
import { accountAddress, collectAddress, operatorAddress, searchAddress, topicsAddress } from './addresses.ts'
import { Link, navigate } from './router.tsx'

const accountPages = [
  [searchAddress, texts.search],
  [collectAddress, texts.collect],
  [topicsAddress, texts.topics],
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
  const pages = session.kind === 'operator' ? operatorPages : accountPages
  return (
    <header className="header">
      <Link className="brand" href={session.kind === 'operator' ? operatorAddress : searchAddress}>
        {texts.product}
      </Link>
      <nav aria-label={texts.navigation}>
        {pages.map(([address, title]) => (
          <Link key={address} href={address} aria-current={isAt(path, address) ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
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
