import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { isStatus } from '../api/client.ts'
import { followSession, readSession } from '../api/session.ts'
import { ownerOf, useSessionState } from '../api/session-store.ts'
import type { Session } from '../api/types.ts'
import { SignInPage } from '../sign-in/sign-in.tsx'
import { shellTexts as texts } from '../texts/shell.ts'
import { homeAddress, operatorAddress, signInAddress } from './addresses.ts'
import { Boundary } from './boundary.tsx'
import { focusOnTurn } from './focus.ts'
import { Header } from './header.tsx'
import { Empty, Loading, Page } from './page.tsx'
import { Problem } from './problem.tsx'
import { Link, navigate, partsOf, useAddress } from './router.tsx'
import { accountPage, movedTo, OperatorPages } from './routes.tsx'
import { SessionEnded } from './session-ended.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { Toasts } from './toast.tsx'

export function App() {
  const state = useSessionState()
  const { pathname } = useAddress()
  const [error, setError] = useState<unknown>(null)
  const ask = () => {
    setError(null)
    readSession().catch(setError)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, at the start
  useEffect(() => {
    ask()
    return followSession()
  }, [])
  if (state.state === 'unknown') {
    return <main className="alone">{error === null ? <Loading /> : <Problem error={error} retry={ask} />}</main>
  }
  if (state.state === 'none' || pathname === signInAddress) return <SignInPage />
  return <SignedIn key={ownerOf(state.session)} session={state.session} isExpired={state.state === 'expired'} />
}

/** Everything below belongs to one account: another account gets new components and an empty cache. */
function SignedIn({ session, isExpired }: { session: Session; isExpired: boolean }) {
  const { pathname } = useAddress()
  const queries = useQueryClient()
  useFocusOnTurn(pathname)
  useEffect(() => () => queries.clear(), [queries])
  useEffect(() => {
    // Signed in again: calls that were refused without a session are repeated.
    if (!isExpired) void queries.refetchQueries({ predicate: ({ state }) => isStatus(state.error, 401) })
  }, [isExpired, queries])
  return (
    <>
      <a className="skip" href="#main">
        {texts.skip}
      </a>
      <Header session={session} path={pathname} />
      <main id="main" tabIndex={-1}>
        {isExpired && <SessionEnded session={session} />}
        <Boundary name={pathname}>
          <Suspense fallback={<Loading />}>
            <Turned path={pathname} session={session} />
          </Suspense>
        </Boundary>
      </main>
      {session.kind === 'account' && <Shortcuts />}
      <Toasts />
    </>
  )
}

/** Focuses the heading of each address but the first, which the browser announces. */
function useFocusOnTurn(path: string): void {
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    focusOnTurn()
  }, [path])
}

function Turned({ path, session }: { path: string; session: Session }): ReactNode {
  const { search } = useAddress()
  const parts = partsOf(path)
  const [first, ...rest] = parts
  const isOperator = session.kind === 'operator'
  const moved = isOperator ? (path === homeAddress ? operatorAddress : null) : movedTo(path, search)
  useEffect(() => {
    if (moved !== null) navigate(moved + location.hash, { replace: true })
  }, [moved])
  if (moved !== null) return null
  if (first === 'operator') {
    return isOperator ? <OperatorPages parts={rest} /> : <WrongKind text={texts.needsAdminKey} />
  }
  if (isOperator) return <WrongKind text={texts.needsAccount} />
  return accountPage(parts) ?? <NoSuchPage />
}

const WrongKind = ({ text }: { text: string }) => (
  <Page title={texts.operator}>
    <Empty title={text}>
      <Link className="button" href={signInAddress}>
        {texts.signInAsOther}
      </Link>
    </Empty>
  </Page>
)

const NoSuchPage = () => (
  <Page title={texts.notFoundTitle}>
    <Empty title={texts.notFound}>
      <Link className="button" href={homeAddress}>
        {texts.toHome}
      </Link>
    </Empty>
  </Page>
)
