/**
 * Who may send to the database's thread, which does what it is sent strictly in that order. A shared turn is over as soon as it has begun:
 * its one statement is sent, and the next may be sent behind it without waiting for the answer. An exclusive turn lasts until
 * it is released, and nobody else sends anything meanwhile. ExclusiveLock begin in the order in which they were asked for.
 */
export interface ExclusiveLock {
  /** @param send sends one statement, at once when it is called. */
  share<T>(send: () => Promise<T>): Promise<T>
  /** @returns the function that releases the turn; calling it again does nothing. */
  hold(): Promise<() => void>
}

export function createExclusiveLock(): ExclusiveLock {
  const waiting: (() => void)[] = []
  let held = false

  const begin = (turn: () => void) => {
    if (held || waiting.length > 0) waiting.push(turn)
    else turn()
  }
  const goOn = () => {
    while (!held) {
      const next = waiting.shift()
      if (next === undefined) return
      next()
    }
  }
  return {
    share: (send) => new Promise((resolve, reject) => begin(() => void send().then(resolve, reject))),
    hold: () =>
      new Promise((resolve) => {
        begin(() => {
          held = true
          let released = false
          resolve(() => {
            if (released) return
            released = true
            held = false
            goOn()
          })
        })
      }),
  }
}
