import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, type Logger, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { ConstructorOptions } from 'pg-boss'
import type { Tables } from '../tables.ts'
import { valueTypes } from '../values.ts'
import { readConnectionUse } from './connection-use.ts'
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

async function assertVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: number }>("select current_setting('server_version_num')::int as version")
  const major = Math.trunc((rows[0]?.version ?? 0) / 10_000)
  if (major < minVersion) throw new Error(`Wishwell needs Postgres ${minVersion} or later; this server is ${major}.`)
}

/** The connections of a process besides its pools: one that listens and one for the pulse. */
const connectionsBesidePools = 2

const applicationNames = { pool: 'wishwell', queue: 'wishwell-queue', listener: 'wishwell-listen' }

export interface PostgresOptions {
  databaseUrl: string
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
    ...options,
    connectionString: databaseUrl,
    connectionTimeoutMillis: connectionTimeoutMs,
    stream: sockets.maker(silenceMs),
  })
  // The pool replaces a connection that breaks while idle; without a listener the event would end the process.
  pool.on('error', () => {})
  // A connection that breaks in use fails its query, and the caller handles that.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The connections of calls, jobs and background work. */
const openMainPool = (
  { databaseUrl, poolSize, statementTimeoutMs }: Required<Omit<PostgresOptions, 'queuePoolSize' | 'log'>>,
  sockets: Sockets,
) =>
  openPool(
    {
      databaseUrl,
      max: poolSize,
      types: valueTypes,
      statement_timeout: statementTimeoutMs,
      // A process that is frozen inside a transaction would hold its locks for ever.
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      application_name: applicationNames.pool,
      // Without a limit for statements there is none for silence.
      silenceMs: statementTimeoutMs === 0 ? 0 : silenceMs,
    },
    sockets,
  )

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
  const { databaseUrl, poolSize = 10, queuePoolSize = 4, statementTimeoutMs = defaultStatementTimeoutMs } = options
  const sockets = createSockets()
  const pool = openMainPool({ databaseUrl, poolSize, statementTimeoutMs }, sockets)
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log: options.log })
  await assertVersion(pool).catch(async (error: unknown) => {
    await database.destroy()
    throw error
  })
  const pulse = startPulse(databaseUrl, sockets)
  const listener = createListener(
    () =>
      new pg.Client({
        connectionString: databaseUrl,
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
