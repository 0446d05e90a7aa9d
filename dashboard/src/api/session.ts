import { takeFirstSession } from '../boot.ts'
import { type ApiError, call, isStatus } from './client.ts'
import { beginTurn, sessionEnded, sessionState, setSessionState } from './session-store.ts'
import type { Session } from './types.ts'

const path = '/api/session'
/** Tells the other tabs of this browser, which share the cookie. */
const channel = new BroadcastChannel('wishwell-session')
const tell = (news: News) => channel.postMessage(news)

/** What the tabs tell each other. */
type News = 'signed-in' | 'signed-out'

/** Asks the service whose session the cookie is: at the start, when the page is looked at again, and when another tab says so. */
export async function readSession(): Promise<void> {
  const turn = beginTurn()
  try {
    const { data } = await call<{ data: Session }>(path, { withoutSession: true, sent: takeFirstSession() })
    setSessionState({ state: 'signed-in', session: data }, turn)
  } catch (error) {
    if (isStatus(error, 401)) sessionEnded(turn)
    // What cannot be asked just now stays as it is.
    else if (sessionState().state === 'unknown') throw error
  }
}

/** Begins a session with an API key, the admin key, or a link. @throws ApiError */
export async function signIn(credential: { apiKey: string } | { link: string }): Promise<void> {
  const { data } = await call<{ data: Session }>(path, { method: 'POST', body: credential, withoutSession: true })
  setSessionState({ state: 'signed-in', session: data })
  tell('signed-in')
}

/** Ends the session. @throws ApiError when the service did not: then it goes on. */
export async function signOut(): Promise<void> {
  await call<unknown>(path, { method: 'DELETE' }).catch((error: ApiError) => {
    // A session that the service does not know is over.
    if (!isStatus(error, 401)) throw error
  })
  setSessionState({ state: 'none' })
  tell('signed-out')
}

/** Keeps the page in step with the cookie, which other tabs change. @returns what undoes it. */
export function followSession(): () => void {
  const refresh = () => void readSession().catch(() => {})
  const onNews = ({ data }: MessageEvent<News>) => {
    // Whoever leaves a shared machine leaves all its tabs, also those that cannot ask just now.
    if (data === 'signed-out') setSessionState({ state: 'none' })
    refresh()
  }
  const onVisible = () => {
    if (document.visibilityState === 'visible') refresh()
  }
  channel.addEventListener('message', onNews)
  document.addEventListener('visibilitychange', onVisible)
  window.addEventListener('focus', onVisible)
  return () => {
    channel.removeEventListener('message', onNews)
    document.removeEventListener('visibilitychange', onVisible)
    window.removeEventListener('focus', onVisible)
  }
}
