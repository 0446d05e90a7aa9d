import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { unlessAborted } from '../abort.ts'
import { moduleFile } from '../module-file.ts'

/** A foreign text exceeded the reader's memory or time. */
export class TooDearError extends Error {
  override readonly name = 'TooDearError'
}

const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
const defaultLimitMs = 10_000

export interface ThreadTask {
  module: string
  name: string
  argument: unknown
}

/** One thread at a time: two would take CPU from others' calls. */
let previous: Promise<unknown> = Promise.resolve()

/**
 * Calls an export in a thread, limited in memory and time, one at a time.
 * @param module from `moduleFile`
 * @param argument plain values, copied like the result
 * @throws TooDearError at a limit; the function's error; the reason of `signal`
 */
export function callInThread<Result>(
  module: URL,
  name: string,
  argument: unknown,
  { signal, limitMs = defaultLimitMs }: { signal: AbortSignal; limitMs?: number },
): Promise<Result> {
  const called = previous.then(() => runThread({ module: module.href, name, argument }, signal, limitMs))
  previous = called.catch(() => {})
  return unlessAborted(called as Promise<Result>, signal)
}

async function runThread(task: ThreadTask, signal: AbortSignal, limitMs: number): Promise<unknown> {
  signal.throwIfAborted()
  const entry = moduleFile('./thread-entry', import.meta.url)
  const worker = new Worker(entry, { workerData: task, resourceLimits, env: {}, stdin: false })
  // Otherwise an error during termination would end the process.
  worker.on('error', () => {})
  try {
    // Rejects with the thread's error, e.g. ERR_WORKER_OUT_OF_MEMORY.
    const [result] = await once(worker, 'message', { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) })
    return result
  } catch (error) {
    signal.throwIfAborted()
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ABORT_ERR' && code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
    throw new TooDearError('It takes too much memory or time to read.')
  } finally {
    await worker.terminate()
  }
}
