/** Rejects with the signal's reason. @returns a function to free the slot; null if the queue is full */
export type EnterSlot = (signal: AbortSignal) => Promise<(() => void) | null>

/** FIFO queue for `count` slots. Waiting callers block workers, so by default only `count` may wait. */
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
