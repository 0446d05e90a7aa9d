import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'
import { valueTypes } from '../values.ts'
import type { Sockets } from './sockets.ts'

interface TimeLimits {
  /** 0: none. */
  statementMs: number
  idleInTransactionMs: number
}

/** @returns a statement that begins a transaction and sets its time limits, in one message */
function beginStatement({ statementMs, idleInTransactionMs }: TimeLimits, settings: TransactionSettings): string {
  const modes = [
    settings.isolationLevel === undefined ? [] : [`isolation level ${settings.isolationLevel}`],
    settings.accessMode === undefined ? [] : [settings.accessMode],
  ].flat()
  return `begin ${modes.join(' ')}; set local statement_timeout = ${statementMs}; set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`
}

/** Behind a pooler, connection settings would leak to other clients or get lost. */
class PooledDriver extends PostgresDriver {
  readonly #limits: TimeLimits

  constructor(pool: pg.Pool, limits: TimeLimits) {
    super({ pool })
    this.#limits = limits
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(beginStatement(this.#limits, settings)))
  }
}

/** For poolers such as PgBouncer in transaction mode: each transaction sets its own time limits. */
class PooledDialect extends PostgresDialect {
  readonly #pool: pg.Pool
  readonly #limits: TimeLimits

  constructor(pool: pg.Pool, limits: TimeLimits) {
    super({ pool })
    this.#pool = pool
    this.#limits = limits
  }

  override createDriver(): PostgresDriver {
    return new PooledDriver(this.#pool, this.#limits)
  }
}

/** Long enough for any bounded statement, short enough for a runaway one. */
export const defaultStatementTimeoutMs = 15_000

/** Our transactions wait only for the database. */
const idleInTransactionTimeoutMs = 10_000

/** How long a statement waits for a connection. */
export const connectionTimeoutMs = 8_000

/** Longer than any limited statement takes, locks included: a connection silent for this long is lost. */
const silenceMs = 60_000

/** How long connections may take to close properly: a hung Postgres does not answer. */
const goodbyeMs = 2_000

/** Shown in Postgres for each connection. */
export const applicationNames = { pool: 'wishwell', queue: 'wishwell-queue', listener: 'wishwell-listen' }

interface PoolOptions extends pg.PoolConfig {
  databaseUrl: string
  /** Maximum silence while a statement runs; 0: unlimited. */
  silenceMs: number
}

/** A pool whose connection errors reach only the interrupted statements. */
export function openPool({ databaseUrl, silenceMs, ...options }: PoolOptions, sockets: Sockets): pg.Pool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: connectionTimeoutMs,
    ...options,
    connectionString: databaseUrl,
    stream: sockets.maker(silenceMs),
  })
  // The pool replaces connections that break while idle; unhandled, the event would end the process.
  pool.on('error', () => {})
  // A connection that breaks in use fails its query, which its caller handles.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

interface MainPool {
  databaseUrl: string
  isPooled: boolean
  poolSize: number
  statementTimeoutMs: number
}

/** Connections for calls, jobs and background work. */
export function openMainPool({ databaseUrl, isPooled, poolSize, statementTimeoutMs }: MainPool, sockets: Sockets) {
  // A process frozen inside a transaction would hold its locks forever.
  const limits: TimeLimits = { statementMs: statementTimeoutMs, idleInTransactionMs: idleInTransactionTimeoutMs }
  const settings = {
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
  const pool = openPool(
    {
      databaseUrl,
      ...(isPooled ? {} : settings),
      max: poolSize,
      types: valueTypes,
      application_name: applicationNames.pool,
      // Without a statement limit, silence is unlimited too.
      silenceMs: statementTimeoutMs === 0 ? 0 : silenceMs,
    },
    sockets,
  )
  return { pool, dialect: isPooled ? new PooledDialect(pool, limits) : new PostgresDialect({ pool }) }
}

/** Waits up to `goodbyeMs` for connections to close. */
export async function waitForGoodbye(ended: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  await Promise.race([ended, sleep(goodbyeMs, null, { signal: late.signal }).catch(() => {})])
  late.abort()
}
