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

const abortedTransaction: WorkerError = {
  message: 'current transaction is aborted: one of its statements failed, so it cannot be committed',
  fields: { code: '25P02' },
}

export interface Queryable {
  query<T>(
    sql: string,
    parameters?: unknown[],
  ): Promise<{ rows: T[]; affectedRows?: number; fields: WorkerResult['fields'] }>
}

/**
 * The embedded database as the main thread sees it: the interface of PGlite that Kysely and pg-boss use.
 * Everything runs in the order of the calls; a transaction keeps all others out until it has ended.
 */
export interface EmbeddedClient extends Queryable {
  readonly ready: boolean
  readonly closed: boolean
  readonly waitReady: Promise<void>
  /** Runs several statements at once, with no parameters; one result a statement. */
  exec(sql: string): Promise<WorkerResult[]>
  transaction<T>(run: (transaction: Queryable & { rollback(): Promise<void> }) => Promise<T>): Promise<T>
  /** Runs with nobody else inside, and without a transaction: some commands allow none. */
  alone<T>(run: (queries: Queryable) => Promise<T>): Promise<T>
  /** Like `alone`, for work that nobody asked for: `idleMs` does not count it as use. */
  aside<T>(run: (queries: Queryable) => Promise<T>): Promise<T>
  /** For how long nobody has used the database: milliseconds since the last use ended, 0 while one runs or waits. */
  idleMs(): number
  /** Calls back for each notification of the channel; the promise gives a function that ends that. */
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

type Operation = WorkerRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

interface Pending {
  resolve(results: WorkerResult[]): void
  reject(error: Error): void
}

/** The wire to the worker thread: requests out, answers matched by id, everything rejected when the thread dies. */
function connectWorker(directory: string, onCrash: (error: Error) => void, isClosing: () => boolean) {
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
    pending.set(id, { resolve, reject })
    worker.postMessage({ ...operation, id } satisfies WorkerRequest)
    return promise
  }
  return { call, listeners, opened: opening.promise, stop: () => worker.terminate() }
}

/**
 * Opens PGlite on a directory, in a worker thread. The caller holds the directory's lock.
 * @param onCrash called when the thread dies by itself; nothing can be read or written after that.
 */
export async function openEmbedded(directory: string, onCrash: (error: Error) => void): Promise<EmbeddedClient> {
  let closed = false
  const { call, listeners, opened, stop } = connectWorker(directory, onCrash, () => closed)
  let tail: Promise<unknown> = Promise.resolve()

  let users = 0
  let usedAt = performance.now()

  /** Runs one holder after the other, in the order in which they asked; a failed holder does not stop the next. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const turn = tail.then(run)
    tail = turn.catch(() => {})
    return turn
  }
  const exclusively = <T>(run: () => Promise<T>): Promise<T> => {
    users++
    return inTurn(async () => {
      try {
        return await run()
      } finally {
        users--
        usedAt = performance.now()
      }
    })
  }
  const query: Queryable['query'] = async <T>(sql: string, parameters: unknown[] = []) => {
    const [result] = await call({ operation: 'query', sql, parameters })
    if (!result) throw new Error('The embedded database answered without a result.')
    return { ...result, rows: result.rows as T[] }
  }

  await opened
  return {
    ready: true,
    waitReady: Promise.resolve(),
    get closed() {
      return closed
    },
    query: (sql, parameters) => exclusively(() => query(sql, parameters)),
    exec: (sql) => exclusively(() => call({ operation: 'exec', sql })),
    transaction: (run) =>
      exclusively(async () => {
        await call({ operation: 'exec', sql: 'BEGIN' })
        let aborted = false
        const queryInside: Queryable['query'] = (sql, parameters) =>
          query<never>(sql, parameters).catch((error: unknown) => {
            aborted = true
            throw error
          })
        const rollback = async () => void (await call({ operation: 'exec', sql: 'ROLLBACK' }))
        try {
          const result = await run({ query: queryInside, rollback })
          // Postgres answers COMMIT of an aborted transaction with a silent rollback: nobody may take that for success.
          if (aborted) throw new EmbeddedDatabaseError(abortedTransaction)
          await call({ operation: 'exec', sql: 'COMMIT' })
          return result
        } catch (error) {
          await call({ operation: 'exec', sql: 'ROLLBACK' })
          throw error
        }
      }),
    alone: (run) => exclusively(() => run({ query })),
    aside: (run) => inTurn(() => run({ query })),
    idleMs: () => (users > 0 ? 0 : performance.now() - usedAt),
    listen: async (channel, onNotification) => {
      const subscribed = listeners.get(channel) ?? new Set()
      listeners.set(channel, subscribed.add(onNotification))
      if (subscribed.size === 1) await exclusively(() => call({ operation: 'listen', channel }))
      return async () => {
        subscribed.delete(onNotification)
        if (subscribed.size === 0 && !closed) await exclusively(() => call({ operation: 'unlisten', channel }))
      }
    },
    close: async () => {
      if (closed) return
      closed = true
      await exclusively(() => call({ operation: 'close' }))
      await stop()
    },
  }
}
