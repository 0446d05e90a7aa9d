import pg from 'pg'
import { createExclusiveLock } from './exclusive-lock.ts'
import type { StatementResult } from './messages.ts'
import { type OpenTransaction, openTransaction, type Queryable } from './transaction.ts'
import { connectWorker, type Operation } from './wire.ts'

export type { OpenTransaction, Queryable }

interface Statements extends Queryable {
  /** Runs several statements at once, with no parameters; one result a statement. */
  exec(sql: string): Promise<StatementResult[]>
}

/**
 * The embedded database as the main thread sees it: the interface of PGlite that pg-boss uses, and what our dialect of Kysely
 * needs. Everything runs in the order of the calls, and is sent without waiting for the answers of those before it; a
 * transaction keeps all others out until it has ended.
 */
export interface EmbeddedClient extends Statements {
  readonly ready: boolean
  readonly closed: boolean
  readonly waitReady: Promise<void>
  transaction<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T>
  /** Opens a transaction, which keeps all others out until it is committed or rolled back. */
  begin(): Promise<OpenTransaction>
  /** Runs with nobody else inside, and without a transaction: some commands allow none. */
  alone<T>(run: (queries: Queryable) => Promise<T>): Promise<T>
  /** Like `alone`, for work that nobody asked for: `idleMs` does not count it as use. */
  aside<T>(run: (queries: Queryable) => Promise<T>): Promise<T>
  /** Statements like those of others, for work that nobody asked for: `idleMs` does not count them. */
  readonly uncounted: Statements
  /** For how long nobody has used the database: milliseconds since the last use ended, 0 while one runs or waits. */
  idleMs(): number
  /** Calls back for each notification of the channel; the promise gives a function that ends that. */
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

/**
 * Opens PGlite on a directory, in a worker thread. The caller holds the directory's lock.
 * @param onCrash called when the thread dies by itself; nothing can be read or written after that.
 */
export async function openEmbedded(directory: string, onCrash: (error: Error) => void): Promise<EmbeddedClient> {
  let closed = false
  const { call, listeners, opened, stop } = connectWorker(directory, onCrash, () => closed)
  const lock = createExclusiveLock()
  let users = 0
  let usedAt = performance.now()

  const asUse = async <T>(run: () => Promise<T>): Promise<T> => {
    users++
    try {
      return await run()
    } finally {
      users--
      usedAt = performance.now()
    }
  }
  /** One call, sent as soon as no transaction is open and nobody else is before it. */
  const share = (operation: Operation) => lock.share(() => call(operation))
  /** Nobody else inside, and nothing under way from before. */
  const hold = async <T>(run: () => Promise<T>): Promise<T> => {
    const release = await lock.hold()
    try {
      await call({ operation: 'exec', sql: '' })
      return await run()
    } finally {
      release()
    }
  }
  const firstOf = <T>([result]: StatementResult[]) => {
    if (!result) throw new Error('The embedded database answered without a result.')
    return { ...result, rows: result.rows as T[] }
  }
  /** A statement of who has the turn. */
  const query: Queryable['query'] = async <T>(sql: string, parameters: unknown[] = []) =>
    firstOf<T>(await call({ operation: 'query', sql, parameters }))
  const uncounted: Statements = {
    query: async <T>(sql: string, parameters: unknown[] = []) =>
      firstOf<T>(await share({ operation: 'query', sql, parameters })),
    exec: (sql) =>
      hold(() =>
        call({ operation: 'exec', sql }).catch(async (error: unknown) => {
          // Some callers send a whole transaction at once: what failed in its middle left it open.
          await call({ operation: 'exec', sql: 'ROLLBACK' })
          throw error
        }),
      ),
  }
  const begin = (): Promise<OpenTransaction> =>
    new Promise((resolve, reject) => {
      // In use until it has ended.
      asUse(async () => {
        const ended = Promise.withResolvers<void>()
        const release = await lock.hold()
        resolve(openTransaction({ call, query, release, onEnd: ended.resolve }))
        await ended.promise
      }).catch(reject)
    })

  await opened
  return {
    ready: true,
    waitReady: Promise.resolve(),
    get closed() {
      return closed
    },
    query: (sql, parameters) => asUse(() => uncounted.query(sql, parameters)),
    exec: (sql) => asUse(() => uncounted.exec(sql)),
    begin,
    transaction: async (run) => {
      const transaction = await begin()
      try {
        const result = await run(transaction)
        await transaction.commit()
        return result
      } catch (error) {
        await transaction.rollback()
        throw error
      }
    },
    alone: (run) => asUse(() => hold(() => run({ query }))),
    aside: (run) => hold(() => run({ query })),
    uncounted,
    idleMs: () => (users > 0 ? 0 : performance.now() - usedAt),
    listen: async (channel, onNotification) => {
      const subscribed = listeners.get(channel) ?? new Set()
      listeners.set(channel, subscribed.add(onNotification))
      if (subscribed.size === 1)
        await asUse(() => share({ operation: 'exec', sql: `listen ${pg.escapeIdentifier(channel)}` }))
      return async () => {
        subscribed.delete(onNotification)
        if (subscribed.size === 0 && !closed)
          await asUse(() => share({ operation: 'exec', sql: `unlisten ${pg.escapeIdentifier(channel)}` }))
      }
    },
    close: async () => {
      if (closed) return
      closed = true
      await hold(() => call({ operation: 'close' }))
      await stop()
    },
  }
}
