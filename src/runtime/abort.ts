import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until `work` settles or the signal aborts, even if the work ignores it. @throws the signal's reason */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(signal.reason)
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', giveUp))
}

/** Waits for `ms`, or until the signal aborts. */
export const pauseUnlessAborted = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})
