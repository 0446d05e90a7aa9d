import { useSyncExternalStore } from 'react'
import { ownerOf } from './session-store.ts'
import type { Session } from './types.ts'

/** What is left of the calls of a minute, as the last answer said. */
export interface RateLeft {
  owner: string
  remaining: number
  limit: number
}

let left: RateLeft | null = null
const listeners = new Set<() => void>()

const numberIn = (text: string | null, name: string): number | null => {
  const found = new RegExp(`^"default".*;${name}=(\\d+)`).exec(text ?? '')?.[1]
  return found === undefined ? null : Number(found)
}

/** Reads `RateLimit` and `RateLimit-Policy` of an answer; those of polls tell of another limit. */
export function noteRateLimit(session: Session | null, headers: Headers): void {
  const remaining = numberIn(headers.get('ratelimit'), 'r')
  const limit = numberIn(headers.get('ratelimit-policy'), 'q')
  if (session === null || remaining === null || limit === null) return
  left = { owner: ownerOf(session), remaining, limit }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** What is left for this owner; null when no answer has said so. */
export function useRateLeft(owner: string | null): RateLeft | null {
  const latest = useSyncExternalStore(subscribe, () => left)
  return latest?.owner === owner ? latest : null
}
