import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createExclusiveLock } from './exclusive-lock.ts'
import type { StatementResult } from './messages.ts'
import { type OpenTransaction, openTransaction, type Queryable } from './transaction.ts'
import { connectWorker, type Operation } from './wire.ts'

export type { OpenTransaction, Queryable }

interface Statements extends Queryable {
  /** Runs several statements without parameters; one result each. */
  exec(sql: string): Promise<StatementResult[]>
}

/**
 * The embedded database for pg-boss and our Kysely dialect. An account's operations run in call order, sent without
 * waiting for earlier answers; an open transaction holds the lock.
 */
export interface EmbeddedClient extends Statements {
  readonly ready: boolean
  readonly closed: boolean
  readonly waitReady: Promise<void>
  transaction<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T>
  /** Opens a transaction, which holds the lock until commit or rollback. */
  begin(): Promise<OpenTransaction>
  /** Holds the lock without a transaction, for commands that allow none. */
  alone<T>(run: (queries: Queryable) => Promise<T>): Promise<T>
  /** Like `alone`, for maintenance: not counted as use by `idleMs`. */
  aside<T>(run: (queries: Queryable) => Promise<T>): Promise<T>
  /** Ordered with all other statements, for maintenance: not counted by `idleMs`. */
  readonly uncounted: Statements
  /** Milliseconds since the last use ended; 0 while one runs or waits. */
  idleMs(): number
  /** A longer statement fails with SQLSTATE 57014 and crashes the database: WebAssembly is not interruptible. */
  limitStatements(maxMs: number): void
  /** Milliseconds the current statement has been running; 0 without one. */
  runningMs(): number
  /** Calls back for each notification of the channel. @returns a function to stop */
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

type Wire = ReturnType<typeof connectWorker>

/** How long closing may wait for sent statements and the last checkpoint. */
const usualClosingMs = 15_000

function createUseClock() {
  let users = 0
  let usedAt = performance.now()
  return {
    asUse: async <T>(run: () => Promise<T>): Promise<T> => {
      users++
      try {
        return await run()
      } finally {
        users--
        usedAt = performance.now()
      }
    },
    idleMs: () => (users > 0 ? 0 : performance.now() - usedAt),
  }
}

type UseClock = ReturnType<typeof createUseClock>

const firstOf = <T>([result]: StatementResult[]) => {
  if (!result) throw new Error('The embedded database answered without a result.')
  return { ...result, rows: result.rows as T[] }
}

/** Statements and blocks in lock order. */
function createLockedStatements(call: Wire['call']) {
  const lock = createExclusiveLock()
  /** Sent when the lock is free and all earlier operations are sent. */
  const share = (operation: Operation) => lock.share(() => call(operation))
  /** Runs with the lock, after every earlier operation is answered. */
  const hold = async <T>(run: () => Promise<T>): Promise<T> => {
    const release = await lock.hold()
    try {
      await call({ operation: 'exec', sql: '' })
      return await run()
    } finally {
      release()
    }
  }
  const query: Queryable['query'] = async <T>(sql: string, parameters: unknown[] = []) =>
    firstOf<T>(await call({ operation: 'query', sql, parameters }))
  const statements: Statements = {
    query: async <T>(sql: string, parameters: unknown[] = []) =>
      firstOf<T>(await share({ operation: 'query', sql, parameters })),
    exec: (sql) =>
      hold(() =>
        call({ operation: 'exec', sql }).catch(async (error: unknown) => {
          // pg-boss sends transactions as one script: one that fails midway leaves its transaction open.
          await call({ operation: 'exec', sql: 'ROLLBACK' })
          throw error
        }),
      ),
  }
  const begin = async (onEnd: () => void): Promise<OpenTransaction> => {
    const release = await lock.hold()
    return openTransaction({ call, query, release, onEnd })
  }
  return { share, hold, query, statements, begin }
}

type LockedStatements = ReturnType<typeof createLockedStatements>

/** @returns a function that opens a transaction, which counts as use until it ends */
function createBegin({ begin }: LockedStatements, { asUse }: UseClock): EmbeddedClient['begin'] {
  return () =>
    new Promise((resolve, reject) => {
      asUse(async () => {
        const ended = Promise.withResolvers<void>()
        resolve(await begin(ended.resolve))
        await ended.promise
      }).catch(reject)
    })
}

async function runTransaction<T>(
  begin: EmbeddedClient['begin'],
  run: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  const transaction = await begin()
  try {
    const result = await run(transaction)
    await transaction.commit()
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

/** @returns the client's `listen`: one LISTEN per channel, however many callbacks */
function createListen(
  { listeners }: Wire,
  exec: (sql: string) => Promise<unknown>,
  isClosed: () => boolean,
): EmbeddedClient['listen'] {
  return async (channel, onNotification) => {
    const subscribed = listeners.get(channel) ?? new Set()
    listeners.set(channel, subscribed.add(onNotification))
    if (subscribed.size === 1) await exec(`listen ${pg.escapeIdentifier(channel)}`)
    return async () => {
      subscribed.delete(onNotification)
      if (subscribed.size === 0 && !isClosed()) await exec(`unlisten ${pg.escapeIdentifier(channel)}`)
    }
  }
}

/** Opens PGlite in a thread; the caller holds the directory's lock. @param onCrash called if it dies */
export async function openEmbedded(
  directory: string,
  onCrash: (error: Error) => void,
  { closingMs = usualClosingMs } = {},
): Promise<EmbeddedClient> {
  let closed = false
  const wire = connectWorker(directory, onCrash, () => closed)
  const locked = createLockedStatements(wire.call)
  const use = createUseClock()
  const { asUse } = use
  const { share, hold, query, statements } = locked
  const begin = createBegin(locked, use)
  await wire.opened
  const client: EmbeddedClient = {
    ready: true,
    waitReady: Promise.resolve(),
    get closed() {
      return closed
    },
    query: (sql, parameters) => asUse(() => statements.query(sql, parameters)),
    exec: (sql) => asUse(() => statements.exec(sql)),
    begin,
    transaction: (run) => runTransaction(begin, run),
    alone: (run) => asUse(() => hold(() => run({ query }))),
    aside: (run) => hold(() => run({ query })),
    uncounted: statements,
    idleMs: use.idleMs,
    limitStatements: wire.limit,
    runningMs: wire.runningMs,
    listen: createListen(
      wire,
      (sql) => asUse(() => share({ operation: 'exec', sql })),
      () => closed,
    ),
    close: async () => {
      if (closed) return
      closed = true
      const closing = hold(() => wire.call({ operation: 'close' }))
      // Ends an unresponsive or crashed database's thread as kill -9 would, which the files survive.
      await Promise.race([closing, sleep(closingMs, undefined, { ref: false })]).finally(wire.stop)
    },
  }
  return client
}
