import { useSyncExternalStore } from 'react'
import { rememberToken } from './remembered-token.ts'
import type { Session } from './types.ts'

/** `unknown` until the first answer; `expired` remembers its account, so that the page stays unchanged behind the sign-in. */
export type SessionState =
  | { state: 'unknown' }
  | { state: 'none' }
  | { state: 'signed-in'; session: Session }
  | { state: 'expired'; session: Session }

let present: SessionState = { state: 'unknown' }
/** The number of calls so far, and the newest call whose answer described the session. */
let begun = 0
let answered = 0
const listeners = new Set<() => void>()

/** The owner of a session: the id of an account, or `operator`. Every cached answer is stored under its owner. */
export const ownerOf = (session: Session): string => session.account?.accountId ?? session.kind

/** The number of a call that begins now: the session of an answer is older than those of later calls. */
export const beginCall = (): number => ++begun

/** Stores the session of an answer, unless a later call has answered already. @returns whether it was stored. */
export function setSessionState(next: SessionState, order = beginCall()): boolean {
  if (order < answered) return false
  answered = order
  if (isSame(present, next)) return true
  present = next
  rememberToken(next.state === 'signed-in' && next.session.kind === 'account' ? next.session.csrfToken : null)
  for (const listener of listeners) listener()
  return true
}

function isSame(before: SessionState, next: SessionState): boolean {
  if (before.state !== next.state) return false
  if (before.state !== 'signed-in' || next.state !== 'signed-in') return true
  return before.session.csrfToken === next.session.csrfToken && ownerOf(before.session) === ownerOf(next.session)
}

/** The session that the page shows; an expired one included. */
export const currentSession = (): Session | null =>
  present.state === 'signed-in' || present.state === 'expired' ? present.session : null
export const sessionState = (): SessionState => present

/** Whether answers to the calls of a session may still be shown. */
export function sessionIsStill(session: Session | null): boolean {
  const now = currentSession()
  return session === null ? now === null : now !== null && ownerOf(now) === ownerOf(session)
}

/** Marks the session of a call as expired. @returns false when a later call has answered already. */
export function sessionEnded(order: number): boolean {
  const session = currentSession()
  return setSessionState(session === null ? { state: 'none' } : { state: 'expired', session }, order)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useSessionState = (): SessionState => useSyncExternalStore(subscribe, sessionState)

/** The session of the page; only for components that are shown after the sign-in. */
export function useSession(): Session {
  const state = useSessionState()
  if (state.state === 'signed-in' || state.state === 'expired') return state.session
  throw new Error('useSession is used outside of a session')
}

/** Whether the session may change what is collected and told; one of a key that only reads may not. */
export const useMayChange = (): boolean => useSession().account?.scope !== 'read'

/** Whether the session may change the account itself: what it shares, and who comes in. */
export const useMayManage = (): boolean => useSession().account?.scope === 'manage'

/** The first part of every query key: the cached answers of one account are never shown to another. */
export const useOwner = (): string => ownerOf(useSession())
