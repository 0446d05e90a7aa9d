/**
 * Waits for a slot. Rejects with the reason of the signal.
 * @returns the function that frees the slot, or null when the queue is full and the caller should try again later.
 */
export type EnterSlot = (signal: AbortSignal) => Promise<(() => void) | null>

/**
 * A first in, first out queue for `count` slots. A waiting caller occupies a worker, so by default at most `count` callers wait: enough
 * to keep all slots in use.
 */
export function createSlots(count: number, maxWaiting = count): EnterSlot {
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
    if (waiting.length >= maxWaiting) return null
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
