import { useSyncExternalStore } from 'react'
import type { Session } from './types.ts'

/** `unknown` until the service has been asked; `expired` keeps whose it was, so that the page can stay as it is behind the sign-in. */
export type SessionState =
  | { state: 'unknown' }
  | { state: 'none' }
  | { state: 'signed-in'; session: Session }
  | { state: 'expired'; session: Session }

let present: SessionState = { state: 'unknown' }
const listeners = new Set<() => void>()

/** Whose session it is: an account's id, or `operator`. Everything that is kept is kept under it. */
export const ownerOf = (session: Session): string => session.account?.accountId ?? session.kind

export function setSessionState(next: SessionState): void {
  present = next
  for (const listener of listeners) listener()
}

export const currentSession = (): Session | null => (present.state === 'signed-in' ? present.session : null)
export const sessionState = (): SessionState => present

/** Whether answers to calls that were made in a session may still be shown. */
export function sessionIsStill(session: Session | null): boolean {
  const now = present.state === 'signed-in' || present.state === 'expired' ? present.session : null
  return session === null ? now === null : now !== null && ownerOf(now) === ownerOf(session)
}

/** The service does not know the session any more. */
export function sessionEnded(): void {
  if (present.state === 'signed-in') setSessionState({ state: 'expired', session: present.session })
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
