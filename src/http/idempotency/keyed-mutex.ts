/** Whether `promise` settles within `waitMs`. */
async function settlesWithin(promise: Promise<unknown>, waitMs: number): Promise<boolean> {
  const timer = Promise.withResolvers<boolean>()
  const timeout = setTimeout(timer.resolve, waitMs, false)
  const settled = promise.then(
    () => true,
    () => true,
  )
  return Promise.race([settled, timer.promise]).finally(() => clearTimeout(timeout))
}

/** Runs functions of the same id one after the other. @returns the result of `run`, or `timeout` if it could not begin within `waitMs`. */
export type KeyedMutex = <T>(id: string, waitMs: number, run: () => Promise<T>) => Promise<T | 'timeout'>

/** A mutex within this process. A waiting caller holds no database connection, so many callers of one id do not starve others. */
export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>()
  return async (id, waitMs, run) => {
    const before = tails.get(id)
    const end = Promise.withResolvers<void>()
    // Settles when all earlier ones have: a caller that timed out must not let the next one in early.
    const tail: Promise<void> = Promise.all([before, end.promise]).then(() => {
      if (tails.get(id) === tail) tails.delete(id)
    })
    tails.set(id, tail)
    try {
      if (before && !(await settlesWithin(before, waitMs))) return 'timeout'
      return await run()
    } finally {
      end.resolve()
    }
  }
}
