import { takeFirstSession } from '../boot.ts'
import { type ApiError, answerOf, api, dataOf, isStatus, send } from './client.ts'
import { beginCall, sessionEnded, sessionState, setSessionState } from './session-store.ts'

const path = '/api/session'
/** These calls begin a session, so their 401 ends none. */
const withoutSession = true
/** A channel to the other tabs of this browser, which share the cookie. */
const channel = new BroadcastChannel('wishwell-session')
const tell = (news: News) => channel.postMessage(news)

/** The messages between the tabs. */
type News = 'signed-in' | 'signed-out'

/** Reads the session of the cookie: at the start, when the page becomes visible, and after a message of another tab. */
export async function readSession(): Promise<void> {
  const order = beginCall()
  try {
    const sent = takeFirstSession()
    const fetch = (request: Request) => send(request, { withoutSession, sent })
    const { data } = await answerOf(api.GET(path, { fetch }), { withoutSession })
    setSessionState({ state: 'signed-in', session: data }, order)
  } catch (error) {
    if (isStatus(error, 401)) sessionEnded(order)
    // Without an answer the session stays unchanged.
    else if (sessionState().state === 'unknown') throw error
  }
}

/** Begins a session with an API key, the admin key, or a link. @throws ApiError */
export async function signIn(credential: { apiKey: string } | { link: string }): Promise<void> {
  const fetch = (request: Request) => send(request, { withoutSession })
  const { data } = await answerOf(api.POST(path, { body: credential, fetch }), { withoutSession })
  setSessionState({ state: 'signed-in', session: data })
  tell('signed-in')
}

/** Ends the session. @throws ApiError when the service did not end it. */
export async function signOut(): Promise<void> {
  await dataOf(api.DELETE(path)).catch((error: ApiError) => {
    // The session has ended already.
    if (!isStatus(error, 401)) throw error
  })
  setSessionState({ state: 'none' })
  tell('signed-out')
}

/** Follows changes of the cookie by other tabs. @returns a function that stops it. */
export function followSession(): () => void {
  const refresh = () => void readSession().catch(() => {})
  const onNews = ({ data }: MessageEvent<News>) => {
    // A sign-out on a shared machine must hold in all tabs, also in those without a connection.
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
