import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, type Logger, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from '../tables.ts'
import { valueTypes } from '../values.ts'
import { listenOnPostgres } from './listen.ts'
import { startPulse } from './pulse.ts'
import { createSockets } from './sockets.ts'

/** Long enough for any bounded statement, short enough that a runaway one cannot hold a connection for long. */
const defaultStatementTimeoutMs = 15_000

/** No transaction of ours waits for anything but the database. */
const idleInTransactionTimeoutMs = 10_000

/** How long a call waits for a connection. */
const connectionTimeoutMs = 8_000

/** Longer than any statement that has a limit takes, waiting for a lock included: whatever is silent for so long is lost. */
const silenceMs = 60_000

/** Those of the queue's own upkeep have none. */
const queueSilenceMs = 300_000

/** How long connections may take to say farewell. */
const farewellMs = 2_000

const oldestVersion = 15

async function assertVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: number }>("select current_setting('server_version_num')::int as version")
  const major = Math.trunc((rows[0]?.version ?? 0) / 10_000)
  if (major < oldestVersion)
    throw new Error(`Wishwell needs Postgres ${oldestVersion} or later; this server is ${major}.`)
}

export interface PostgresOptions {
  databaseUrl: string
  poolSize?: number | undefined
  statementTimeoutMs?: number | undefined
  log: Logger
}

/** Opens connections to a Postgres. What it gives is a part of `OpenDatabase`, where it is described. */
export async function openPostgres(options: PostgresOptions) {
  const { databaseUrl: connectionString, poolSize = 10, statementTimeoutMs = defaultStatementTimeoutMs } = options
  const sockets = createSockets()
  const pool = new pg.Pool({
    connectionString,
    max: poolSize,
    types: valueTypes,
    statement_timeout: statementTimeoutMs,
    // A process that is frozen inside a transaction would hold its locks for ever.
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: connectionTimeoutMs,
    application_name: 'wishwell',
    // Without a limit of statements there is none of silence: 0.
    stream: sockets.maker(statementTimeoutMs === 0 ? 0 : silenceMs),
  })
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  // So does one that breaks while it is in use: its query fails by itself, and that is where it is dealt with.
  pool.on('connect', (client) => client.on('error', () => {}))
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log: options.log })
  const listeners: (() => Promise<void>)[] = []
  await assertVersion(pool).catch(async (error: unknown) => {
    await database.destroy()
    throw error
  })
  const pulse = startPulse(connectionString, sockets)
  const queueOptions = {
    ...{ connectionString, max: 4, application_name: 'wishwell-queue' },
    ...{ connectionTimeoutMillis: connectionTimeoutMs, stream: sockets.maker(queueSilenceMs) },
  }
  return {
    database,
    queueOptions,
    listen: async (channel: string, onNotification: (payload: string | null) => void) => {
      const client = () =>
        new pg.Client({
          connectionString,
          application_name: 'wishwell-listen',
          connectionTimeoutMillis: connectionTimeoutMs,
          // It may hear nothing for ever; the kernel asks whether the other side is there.
          stream: sockets.maker(0),
        })
      const stop = await listenOnPostgres(client, channel, onNotification)
      listeners.push(stop)
      return stop
    },
    close: async () => {
      const ended = Promise.all([...listeners.map((stop) => stop()), database.destroy()])
      // A Postgres that stands still says no farewell.
      const late = new AbortController()
      await Promise.race([ended, sleep(farewellMs, null, { signal: late.signal }).catch(() => {})])
      late.abort()
      sockets.destroyAll()
      pulse.stop()
      await ended
    },
  }
}
