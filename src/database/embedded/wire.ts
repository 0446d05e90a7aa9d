import { Worker } from 'node:worker_threads'
import type { WorkerError, WorkerRequest, WorkerResponse, WorkerResult } from './protocol.ts'

/** An error that Postgres reported; `code` is its SQLSTATE, as with node-postgres. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError'
  constructor(error: WorkerError) {
    super(error.message)
    Object.assign(this, error.fields)
  }
}

export type Operation = WorkerRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

interface Pending {
  resolve(results: WorkerResult[]): void
  reject(error: Error): void
}

/** The wire to the worker thread: requests out, answers matched by id, everything rejected when the thread dies. */
export function connectWorker(directory: string, onCrash: (error: Error) => void, isClosing: () => boolean) {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { directory },
    name: 'database',
  })
  const pending = new Map<number, Pending>()
  const listeners = new Map<string, Set<(payload: string) => void>>()
  const opening = Promise.withResolvers<void>()
  let nextId = 1
  let dead: Error | null = null

  const die = (error: Error) => {
    if (dead) return
    dead = error
    opening.reject(error)
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }
  const crash = (error: Error) => {
    if (dead) return
    die(error)
    onCrash(error)
  }
  worker.on('message', (response: WorkerResponse) => {
    if (response.type === 'ready') return opening.resolve()
    if (response.type === 'failed') return die(new EmbeddedDatabaseError(response.error))
    if (response.type === 'notification') {
      for (const notify of listeners.get(response.channel) ?? []) notify(response.payload)
      return
    }
    if (response.type === 'broken') return crash(new EmbeddedDatabaseError(response.error))
    const call = pending.get(response.id)
    pending.delete(response.id)
    if (response.type === 'result') call?.resolve(response.results)
    else call?.reject(new EmbeddedDatabaseError(response.error))
  })
  worker.on('error', crash)
  worker.on('exit', () => {
    const error = new Error('The embedded database is closed.')
    if (isClosing()) die(error)
    else crash(error)
  })

  const call = (operation: Operation): Promise<WorkerResult[]> => {
    if (dead) return Promise.reject(dead)
    const id = nextId++
    const { promise, resolve, reject } = Promise.withResolvers<WorkerResult[]>()
    try {
      worker.postMessage({ ...operation, id } satisfies WorkerRequest)
      pending.set(id, { resolve, reject })
    } catch (error) {
      // A parameter that cannot be sent, a function for example.
      reject(error as Error)
    }
    return promise
  }
  return { call, listeners, opened: opening.promise, stop: () => worker.terminate() }
}
