import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, type Logger, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { ConstructorOptions } from 'pg-boss'
import type { Tables } from '../tables.ts'
import { valueTypes } from '../values.ts'
import { readConnectionUse } from './connection-use.ts'
import { PooledDialect, type TimeLimits } from './dialect.ts'
import { createListener, type Listen } from './listen.ts'
import { startPulse } from './pulse.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** Long enough for any bounded statement, short enough that a runaway one cannot hold a connection for long. */
const defaultStatementTimeoutMs = 15_000

/** Our transactions wait for nothing but the database. */
const idleInTransactionTimeoutMs = 10_000

/** How long a statement waits for a connection. */
const connectionTimeoutMs = 8_000

/** Longer than any statement with a time limit takes, locks included: a connection that is silent for so long is lost. */
const silenceMs = 60_000

/** The maintenance statements of the queue have no time limit. */
const queueSilenceMs = 300_000

/** How long connections may take to close by the protocol: a Postgres that stands still does not answer. */
const goodbyeMs = 2_000

const minVersion = 15

/** PgBouncer refuses the time limits of a connection by default. */
const explainPooler = (error: unknown): never => {
  if (!(error instanceof Error) || !/unsupported startup parameter/i.test(error.message)) throw error
  const remedy = 'Set DATABASE_LISTEN_URL to the address of Postgres itself (docs/operating.md)'
  throw new Error(`DATABASE_URL is a pooler, which takes no settings of connections. ${remedy}.`, { cause: error })
}

async function assertVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool
    .query<{ version: number }>("select current_setting('server_version_num')::int as version")
    .catch(explainPooler)
  const major = Math.trunc((rows[0]?.version ?? 0) / 10_000)
  if (major < minVersion) throw new Error(`Wishwell needs Postgres ${minVersion} or later; this server is ${major}.`)
}

/** The connections of a process besides its pools: one that listens and one for the pulse. */
const connectionsBesidePools = 2

/** A read waits for no longer than that for a connection to the replica: the primary can answer it. */
const replicaConnectionTimeoutMs = 1_000

const applicationNames = { pool: 'wishwell', queue: 'wishwell-queue', listener: 'wishwell-listen' }

export interface PostgresOptions {
  databaseUrl: string
  /** The address of Postgres itself where `databaseUrl` is a pooler. */
  listenUrl?: string | undefined
  poolSize?: number | undefined
  queuePoolSize?: number | undefined
  statementTimeoutMs?: number | undefined
  log: Logger
}

interface PoolOptions extends pg.PoolConfig {
  databaseUrl: string
  /** How long a connection may be silent while a statement runs; 0 for ever. */
  silenceMs: number
}

/** A pool of connections whose errors reach only the statements that they interrupt. */
function openPool({ databaseUrl, silenceMs, ...options }: PoolOptions, sockets: Sockets): pg.Pool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: connectionTimeoutMs,
    ...options,
    connectionString: databaseUrl,
    stream: sockets.maker(silenceMs),
  })
  // The pool replaces a connection that breaks while idle; without a listener the event would end the process.
  pool.on('error', () => {})
  // A connection that breaks in use fails its query, and the caller handles that.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

interface MainPool extends pg.PoolConfig {
  databaseUrl: string
  isPooled: boolean
  poolSize: number
  statementTimeoutMs: number
}

/** The connections of calls, jobs and background work. */
function openMainPool({ isPooled, poolSize, statementTimeoutMs, ...options }: MainPool, sockets: Sockets) {
  // A process that is frozen inside a transaction would hold its locks for ever.
  const limits: TimeLimits = { statementMs: statementTimeoutMs, idleInTransactionMs: idleInTransactionTimeoutMs }
  const settings = {
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
  const pool = openPool(
    {
      ...(isPooled ? {} : settings),
      ...options,
      max: poolSize,
      types: valueTypes,
      application_name: applicationNames.pool,
      // Without a limit for statements there is none for silence.
      silenceMs: statementTimeoutMs === 0 ? 0 : silenceMs,
    },
    sockets,
  )
  return { pool, dialect: isPooled ? new PooledDialect(pool, limits) : new PostgresDialect({ pool }) }
}

/**
 * What pg-boss needs: a pool of its own, so that searches never delay its heartbeats, opened at its first statement, and the listener
 * that all rooms share.
 */
function openQueue(
  { databaseUrl, queuePoolSize }: { databaseUrl: string; queuePoolSize: number },
  sockets: Sockets,
  listen: Listen,
) {
  let pool: pg.Pool | null = null
  const open = () =>
    openPool(
      { databaseUrl, max: queuePoolSize, application_name: applicationNames.queue, silenceMs: queueSilenceMs },
      sockets,
    )
  const db: NonNullable<ConstructorOptions['db']> = {
    executeSql: (text, values) => {
      pool ??= open()
      return pool.query(text, values)
    },
    listen: async (channel, onNotification, onReconnect) => {
      const close = await listen(channel, (payload) => (payload === null ? onReconnect() : onNotification(payload)))
      return { close }
    },
  }
  return { options: { db }, close: async () => pool?.end() }
}

/** Waits until the connections are closed, for `goodbyeMs` at most. */
async function waitForGoodbye(ended: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  await Promise.race([ended, sleep(goodbyeMs, null, { signal: late.signal }).catch(() => {})])
  late.abort()
}

/** Opens connections to a Postgres. The result is a part of `OpenDatabase`, where it is described. */
export async function openPostgres(options: PostgresOptions) {
  const { databaseUrl, listenUrl, poolSize = 10, queuePoolSize = 4 } = options
  const { statementTimeoutMs = defaultStatementTimeoutMs } = options
  const isPooled = listenUrl !== undefined
  const directUrl = listenUrl ?? databaseUrl
  const sockets = createSockets()
  const { pool, dialect } = openMainPool({ databaseUrl, isPooled, poolSize, statementTimeoutMs }, sockets)
  const database = new Kysely<Tables>({ dialect, log: options.log })
  await assertVersion(pool).catch(async (error: unknown) => {
    await database.destroy()
    throw error
  })
  // Not through a pooler: a statement may wait there for a connection, however quick Postgres is.
  const pulse = startPulse(directUrl, sockets)
  const listener = createListener(
    () =>
      new pg.Client({
        connectionString: directUrl,
        connectionTimeoutMillis: connectionTimeoutMs,
        application_name: applicationNames.listener,
        // A channel may be silent for ever: the keep-alive of the socket finds a dead peer.
        stream: sockets.maker(0),
      }),
  )
  const queue = openQueue({ databaseUrl, queuePoolSize }, sockets, listener.listen)
  return {
    database,
    queueOptions: queue.options,
    listen: listener.listen,
    readConnectionUse: () =>
      readConnectionUse(database, {
        listenerName: applicationNames.listener,
        connectionsOfProcess: poolSize + queuePoolSize + connectionsBesidePools,
      }),
    close: async () => {
      const ended = Promise.all([listener.stop(), queue.close(), database.destroy()])
      await waitForGoodbye(ended)
      sockets.destroyAll()
      pulse.stop()
      await ended
    },
  }
}

export interface ReplicaOptions {
  readUrl: string
  poolSize?: number | undefined
  statementTimeoutMs?: number | undefined
  onStatement?: ((statement: string) => void) | undefined
}

/**
 * Opens a pool of connections to a replica, at its first read: a start does not need the replica. Its time limits are set by each
 * transaction, because its address may be a pooler.
 */
export function openReplica({ readUrl, poolSize = 10, statementTimeoutMs, onStatement }: ReplicaOptions) {
  const sockets = createSockets()
  const { dialect } = openMainPool(
    {
      databaseUrl: readUrl,
      isPooled: true,
      poolSize,
      statementTimeoutMs: statementTimeoutMs ?? defaultStatementTimeoutMs,
      connectionTimeoutMillis: replicaConnectionTimeoutMs,
    },
    sockets,
  )
  const log: Logger = (event) => {
    if (event.level === 'query') onStatement?.(event.query.sql)
  }
  const database = new Kysely<Tables>({ dialect, log })
  const pulse = startPulse(readUrl, sockets)
  return {
    database,
    close: async () => {
      const ended = database.destroy()
      await waitForGoodbye(ended)
      sockets.destroyAll()
      pulse.stop()
      await ended
    },
  }
}
