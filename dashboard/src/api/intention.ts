import { useCallback, useRef } from 'react'

export interface Intention {
  /** The `Idempotency-Key` of what the user means by `meaning`: the same until it was done or means something else. */
  keyFor(meaning: unknown): string
  /** It has happened: the next one is another. */
  done(): void
}

/**
 * A second click, or a try after an answer that was lost, is the same intention: the service does it once. Only when it has happened, or
 * the form says something else, is it a new one.
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

/** Not `crypto.randomUUID`, which plain http does not have away from localhost. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
