/** Waits for a work no longer than until the signal is aborted, also where the work does not heed it. @throws its reason then. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(signal.reason)
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', giveUp))
}
