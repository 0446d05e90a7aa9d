import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, type Logger, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from '../tables.ts'
import { valueTypes } from '../values.ts'
import { listenOnPostgres } from './listen.ts'
import { startPulse } from './pulse.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** Long enough for any bounded statement, short enough that a runaway one cannot hold a connection for long. */
const defaultStatementTimeoutMs = 15_000

/** Our transactions wait for nothing but the database. */
const idleInTransactionTimeoutMs = 10_000

/** How long a call waits for a connection. */
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

export interface PostgresOptions {
  databaseUrl: string
  poolSize?: number | undefined
  statementTimeoutMs?: number | undefined
  log: Logger
}

interface PoolOptions {
  databaseUrl: string
  poolSize: number
  /** 0 for none. */
  statementTimeoutMs: number
}

/** A pool of connections whose errors reach only the statements that they interrupt. */
function openPool({ databaseUrl, poolSize, statementTimeoutMs }: PoolOptions, sockets: Sockets): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolSize,
    types: valueTypes,
    statement_timeout: statementTimeoutMs,
    // A process that is frozen inside a transaction would hold its locks for ever.
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: connectionTimeoutMs,
    application_name: 'wishwell',
    // Without a limit for statements there is none for silence: 0.
    stream: sockets.maker(statementTimeoutMs === 0 ? 0 : silenceMs),
  })
  // The pool replaces a connection that breaks while idle; without a listener the event would end the process.
  pool.on('error', () => {})
  // A connection that breaks in use fails its query, and the caller handles that.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Waits until the connections are closed, for `goodbyeMs` at most. */
async function waitForGoodbye(ended: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  await Promise.race([ended, sleep(goodbyeMs, null, { signal: late.signal }).catch(() => {})])
  late.abort()
}

/** Opens connections to a Postgres. The result is a part of `OpenDatabase`, where it is described. */
export async function openPostgres(options: PostgresOptions) {
  const { databaseUrl, poolSize = 10, statementTimeoutMs = defaultStatementTimeoutMs } = options
  const sockets = createSockets()
  const pool = openPool({ databaseUrl, poolSize, statementTimeoutMs }, sockets)
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log: options.log })
  await assertVersion(pool).catch(async (error: unknown) => {
    await database.destroy()
    throw error
  })
  const pulse = startPulse(databaseUrl, sockets)
  const listeners: (() => Promise<void>)[] = []
  const connection = { connectionString: databaseUrl, connectionTimeoutMillis: connectionTimeoutMs }
  return {
    database,
    queueOptions: {
      ...connection,
      max: 4,
      application_name: 'wishwell-queue',
      stream: sockets.maker(queueSilenceMs),
    },
    listen: async (channel: string, onNotification: (payload: string | null) => void) => {
      // A channel may be silent for ever: the keep-alive of the socket finds a dead peer.
      const client = () =>
        new pg.Client({ ...connection, application_name: 'wishwell-listen', stream: sockets.maker(0) })
      const stop = await listenOnPostgres(client, channel, onNotification)
      listeners.push(stop)
      return stop
    },
    close: async () => {
      const ended = Promise.all([...listeners.map((stop) => stop()), database.destroy()])
      await waitForGoodbye(ended)
      sockets.destroyAll()
      pulse.stop()
      await ended
    },
  }
}
