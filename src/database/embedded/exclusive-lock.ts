/**
 * The order of operations on the one connection of the embedded database, which runs them as they are sent. A shared operation has
 * the lock only while it is sent: the next one follows without waiting for the answer. A holder has the lock until it is
 * released, and nothing else is sent meanwhile. Requests are granted in the order of the calls.
 */
export interface ExclusiveLock {
  /** @param send sends one statement, at once when it is called. */
  share<T>(send: () => Promise<T>): Promise<T>
  /** @returns the function that releases the lock; calling it again does nothing. */
  hold(): Promise<() => void>
}

export function createExclusiveLock(): ExclusiveLock {
  const waiting: (() => void)[] = []
  let held = false

  const grant = (request: () => void) => {
    if (held || waiting.length > 0) waiting.push(request)
    else request()
  }
  const grantNext = () => {
    while (!held) {
      const next = waiting.shift()
      if (next === undefined) return
      next()
    }
  }
  return {
    share: (send) => new Promise((resolve, reject) => grant(() => void send().then(resolve, reject))),
    hold: () =>
      new Promise((resolve) => {
        grant(() => {
          held = true
          let released = false
          resolve(() => {
            if (released) return
            released = true
            held = false
            grantNext()
          })
        })
      }),
  }
}
