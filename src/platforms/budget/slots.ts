/**
 * Waits for one of the places; call the result to leave it. Rejects with the reason of the signal.
 * @returns null when so many wait already that this one should come back later.
 */
export type EnterSlot = (signal: AbortSignal) => Promise<(() => void) | null>

/**
 * A first come, first served queue for `count` places. Whoever waits in it holds a worker, so at most as many wait as there are
 * places: enough to keep them all in use.
 */
export function createSlots(count: number): EnterSlot {
  const waiting: Array<() => void> = []
  let taken = 0

  function leaveOnce(): () => void {
    let left = false
    return () => {
      if (left) return
      left = true
      const next = waiting.shift()
      if (next) next()
      else taken -= 1
    }
  }

  return async (signal) => {
    signal.throwIfAborted()
    if (taken < count) {
      taken += 1
      return leaveOnce()
    }
    if (waiting.length >= count) return null
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(admit), 1)
        reject(signal.reason)
      }
      const admit = () => {
        signal.removeEventListener('abort', giveUp)
        resolve(leaveOnce())
      }
      waiting.push(admit)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}
