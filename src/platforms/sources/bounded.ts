/** Runs an operation. @param signal when it is aborted before the operation began, the operation is left out. */
export type RunBounded = (operation: () => Promise<void>, signal: AbortSignal) => Promise<void>

/** Runs at most `count` operations at a time; further ones begin in the order of their calls. */
export function createBounded(count: number): RunBounded {
  const waiting: Array<() => void> = []
  let running = 0
  const beginNext = () => waiting.shift()?.()
  return (operation, signal) =>
    new Promise((resolve, reject) => {
      const begin = () => {
        if (signal.aborted) {
          reject(signal.reason)
          return beginNext()
        }
        running += 1
        const end = () => {
          running -= 1
          beginNext()
        }
        operation().finally(end).then(resolve, reject)
      }
      if (running < count) begin()
      else waiting.push(begin)
    })
}
