import { useCallback, useRef } from 'react'

export interface Intention {
  /** The `Idempotency-Key` of an intention: the same until it was done or `meaning` changes. */
  keyFor(meaning: unknown): string
  /** Ends the intention: the next call has a new key. */
  done(): void
}

/**
 * A second click, or a try after a lost answer, is the same intention: it has one effect. Only when it was done, or
 * the form has changed, is it a new one.
 */
export function useIntention(): Intention {
  const present = useRef<{ meaning: string; key: string } | null>(null)
  const keyFor = useCallback((value: unknown) => {
    const meaning = JSON.stringify(value)
    if (present.current?.meaning !== meaning) present.current = { meaning, key: randomKey() }
    return present.current.key
  }, [])
  const done = useCallback(() => {
    present.current = null
  }, [])
  return { keyFor, done }
}

/** Not `crypto.randomUUID`, which browsers offer over plain HTTP on localhost only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
