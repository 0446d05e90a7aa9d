import { type ApiError, call, isStatus } from './client.ts'
import { ownerOf, type SessionState, sessionState, setSessionState } from './session-store.ts'
import type { Session } from './types.ts'

const path = '/api/session'
/** Tells the other tabs of this browser, which share the cookie. */
const channel = new BroadcastChannel('wishwell-session')

function stateAfter(session: Session | null): SessionState {
  if (session !== null) return { state: 'signed-in', session }
  const before = sessionState()
  return before.state === 'signed-in' || before.state === 'expired'
    ? { state: 'expired', session: before.session }
    : { state: 'none' }
}

function isSame(next: SessionState): boolean {
  const before = sessionState()
  if (before.state !== next.state) return false
  if (before.state !== 'signed-in' || next.state !== 'signed-in') return true
  return before.session.csrfToken === next.session.csrfToken && ownerOf(before.session) === ownerOf(next.session)
}

/** Asks the service whose session the cookie is: at the start, when the page is looked at again, and when another tab says so. */
export async function readSession(): Promise<void> {
  let session: Session | null = null
  try {
    session = (await call<{ data: Session }>(path, { withoutSession: true })).data
  } catch (error) {
    // What cannot be asked just now stays as it is.
    if (!isStatus(error, 401)) {
      if (sessionState().state === 'unknown') throw error
      return
    }
  }
  const next = stateAfter(session)
  if (!isSame(next)) setSessionState(next)
}

/** Begins a session with an API key, the admin key, or a link. @throws ApiError */
export async function signIn(credential: { apiKey: string } | { link: string }): Promise<void> {
  const { data } = await call<{ data: Session }>(path, { method: 'POST', body: credential, withoutSession: true })
  setSessionState({ state: 'signed-in', session: data })
  channel.postMessage('changed')
}

/** Ends the session. @throws ApiError when the service did not: then it goes on. */
export async function signOut(): Promise<void> {
  await call<unknown>(path, { method: 'DELETE' }).catch((error: ApiError) => {
    // A session that the service does not know is over.
    if (!isStatus(error, 401)) throw error
  })
  setSessionState({ state: 'none' })
  channel.postMessage('changed')
}

/** Keeps the page in step with the cookie, which other tabs change. @returns what undoes it. */
export function followSession(): () => void {
  const refresh = () => void readSession().catch(() => {})
  const onVisible = () => {
    if (document.visibilityState === 'visible') refresh()
  }
  channel.addEventListener('message', refresh)
  document.addEventListener('visibilitychange', onVisible)
  window.addEventListener('focus', onVisible)
  return () => {
    channel.removeEventListener('message', refresh)
    document.removeEventListener('visibilitychange', onVisible)
    window.removeEventListener('focus', onVisible)
  }
}
