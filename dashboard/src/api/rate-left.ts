import { useSyncExternalStore } from 'react'
import { ownerOf } from './session-store.ts'
import type { Session } from './types.ts'

/** The remaining calls of a minute, from the last answer. */
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

/** Reads `RateLimit` and `RateLimit-Policy` of an answer; polls have another limit. */
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

/** The remaining calls of this owner; null before the first answer. */
export function useRateLeft(owner: string | null): RateLeft | null {
  const latest = useSyncExternalStore(subscribe, () => left)
  return latest?.owner === owner ? latest : null
}
