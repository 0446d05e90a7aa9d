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

/** Runs what has the same id one after the other. */
export type KeyedMutex = <T>(id: string, waitMs: number, run: () => Promise<T>) => Promise<T | 'timeout'>

/**
 * KeyedMutex within this process: whoever waits here holds no database connection, so a crowd on one id cannot starve others.
 * @returns a function that gives what `run` gives, or `timeout` when its turn did not come within `waitMs`.
 */
export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>()
  return async (id, waitMs, run) => {
    const before = tails.get(id)
    const end = Promise.withResolvers<void>()
    // Ends when all before it have: one who gave up must not let the next one in early.
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
