import { useSyncExternalStore } from 'react'
import { rememberToken } from './remembered-token.ts'
import type { Session } from './types.ts'

/** `unknown` until the service has been asked; `expired` keeps whose it was, so that the page can stay as it is behind the sign-in. */
export type SessionState =
  | { state: 'unknown' }
  | { state: 'none' }
  | { state: 'signed-in'; session: Session }
  | { state: 'expired'; session: Session }

let present: SessionState = { state: 'unknown' }
/** How many calls were begun, and the latest of them that has told who is signed in. */
let begun = 0
let told = 0
const listeners = new Set<() => void>()

/** Whose session it is: an account's id, or `operator`. Everything that is kept is kept under it. */
export const ownerOf = (session: Session): string => session.account?.accountId ?? session.kind

/** The turn of a call that begins now: what it tells of the session is older news than what later ones tell. */
export const beginTurn = (): number => ++begun

/** Takes what a call has told of the session, unless one that began later has spoken. @returns whether it was taken. */
export function setSessionState(next: SessionState, turn = beginTurn()): boolean {
  if (turn < told) return false
  told = turn
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

/** The session that the page shows. One that has ended is refused by the service, and told as such. */
export const currentSession = (): Session | null =>
  present.state === 'signed-in' || present.state === 'expired' ? present.session : null
export const sessionState = (): SessionState => present

/** Whether answers to calls that were made in a session may still be shown. */
export function sessionIsStill(session: Session | null): boolean {
  const now = currentSession()
  return session === null ? now === null : now !== null && ownerOf(now) === ownerOf(session)
}

/** The service does not know the session any more that a call was made in. @returns false when that is older news. */
export function sessionEnded(turn: number): boolean {
  const session = currentSession()
  return setSessionState(session === null ? { state: 'none' } : { state: 'expired', session }, turn)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useSessionState = (): SessionState => useSyncExternalStore(subscribe, sessionState)

/** The session of the page; only below what is shown to those who are signed in. */
export function useSession(): Session {
  const state = useSessionState()
  if (state.state === 'signed-in' || state.state === 'expired') return state.session
  throw new Error('useSession is used outside of a session')
}

/** The first part of every query key: what is kept of one account is never shown to another. */
export const useOwner = (): string => ownerOf(useSession())
