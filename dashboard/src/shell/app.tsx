import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { AccountPage } from '../account/account.tsx'
import { isStatus } from '../api/client.ts'
import { followSession, readSession } from '../api/session.ts'
import { ownerOf, useSessionState } from '../api/session-store.ts'
import type { Session } from '../api/types.ts'
import { ChannelsPage } from '../channels/channels.tsx'
import { CollectPage } from '../collect/collect.tsx'
import { JobPage } from '../collect/job.tsx'
import { NewsPage } from '../news/news.tsx'
import { OperatorPages } from '../operator/operator.tsx'
import { SearchPage } from '../search/search.tsx'
import { SignInPage } from '../sign-in/sign-in.tsx'
import { shellTexts as texts } from '../texts/shell.ts'
import { TopicPageView } from '../understand/topic.tsx'
import { TopicsPage } from '../understand/topics.tsx'
import { WishPage } from '../understand/wish.tsx'
import { NewWatchPage } from '../watches/new-watch.tsx'
import { WatchPage } from '../watches/watch.tsx'
import { WatchesPage } from '../watches/watches.tsx'
import { operatorAddress, searchAddress, signInAddress } from './addresses.ts'
import { Boundary } from './boundary.tsx'
import { focusHeading } from './focus.ts'
import { Header } from './header.tsx'
import { Empty, Loading, Page } from './page.tsx'
import { Problem } from './problem.tsx'
import { Link, navigate, partsOf, useAddress } from './router.tsx'
import { SessionEnded } from './session-ended.tsx'
import { useSearchShortcut } from './shortcuts.ts'

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
  useSearchShortcut(session.kind === 'account')
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
          <Turned path={pathname} session={session} />
        </Boundary>
      </main>
    </>
  )
}

/** Focuses the heading of a new address, so that screen readers announce it. Not on the first address, which the browser announces. */
function useFocusOnTurn(path: string): void {
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    focusHeading()
  }, [path])
}

function Turned({ path, session }: { path: string; session: Session }): ReactNode {
  const [first, second, ...rest] = partsOf(path)
  const isOperator = session.kind === 'operator'
  useEffect(() => {
    if (isOperator && path === searchAddress) navigate(operatorAddress, { replace: true })
  }, [isOperator, path])
  if (first === 'operator') {
    return isOperator ? <OperatorPages parts={[second, ...rest]} /> : <WrongKind text={texts.needsAdminKey} />
  }
  if (isOperator) return path === searchAddress ? null : <WrongKind text={texts.needsAccount} />
  if (rest.length > 0) return <NoSuchPage />
  if (first === undefined) return <SearchPage />
  if (first === 'collect') return second === undefined ? <CollectPage /> : <JobPage key={second} jobId={second} />
  if (first === 'topics' && second === undefined) return <TopicsPage />
  if (first === 'topics' && second === 'one') return <TopicPageView />
  if (first === 'wishes' && second !== undefined) return <WishPage key={second} wishId={second} />
  if (first === 'news' && second === undefined) return <NewsPage />
  if (first === 'watches' && second === undefined) return <WatchesPage />
  if (first === 'watches' && second === 'new') return <NewWatchPage />
  if (first === 'watches' && second !== undefined) return <WatchPage key={second} watchId={second} />
  if (first === 'channels' && second === undefined) return <ChannelsPage />
  if (first === 'account' && second === undefined) return <AccountPage />
  return <NoSuchPage />
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
      <Link className="button" href={searchAddress}>
        {texts.toSearch}
      </Link>
    </Empty>
  </Page>
)
