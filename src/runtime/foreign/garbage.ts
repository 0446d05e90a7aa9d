import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Smaller files leave little garbage. */
const largeBytes = 4 * 1024 * 1024
/** By then it is answered, and unreferenced. */
const restMs = 1_000

let collect: (() => void) | null = null

/** Frees memory after a large file: V8 collects only while allocating. Blocks the main thread for some 75 ms. */
export function collectAfter(bytes: number): void {
  if (bytes < largeBytes) return
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  setTimeout(collect, restMs).unref()
}
