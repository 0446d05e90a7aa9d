import { Socket } from 'node:net'
import { Kysely, type Logger } from 'kysely'
import pg from 'pg'
import type { ConstructorOptions } from 'pg-boss'
import type { Tables } from '../tables.ts'
import { readConnectionUse } from './connection-use.ts'
import { createListener, type Listen } from './listen.ts'
import {
  applicationNames,
  connectionTimeoutMs,
  defaultStatementTimeoutMs,
  openMainPool,
  openPool,
  waitForGoodbye,
} from './pools.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** The queue's maintenance statements have no time limit. */
const queueSilenceMs = 300_000

/** pg-boss has a lazy pool of its own, so that searches never delay its heartbeats, and the shared listener. */
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

interface Pulse {
  stop(): void
}

const pauseMs = 1_000

/** Even a busy server answers an empty query faster. */
const timeoutMs = 5_000

/**
 * Pings every second on its own connection, which tells a hung server from slow statements. On silence, closes all
 * equally silent connections: statements fail at once until Postgres answers again.
 */
function startPulse(connectionString: string, sockets: Sockets): Pulse {
  let connection: { client: pg.Client; socket: Socket } | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const connect = async () => {
    const socket = new Socket()
    const client = new pg.Client({ connectionString, application_name: 'wishwell-pulse', stream: () => socket })
    connection = { client, socket }
    // Its statement fails with the same error.
    client.on('error', () => {})
    await client.connect()
    return connection
  }
  const drop = () => {
    connection?.socket.destroy()
    connection = null
  }
  const beat = async () => {
    const received = sockets.received()
    const deadline = setTimeout(() => {
      sockets.closeSilent(received)
      drop()
    }, timeoutMs).unref()
    try {
      const { client } = connection ?? (await connect())
      await client.query('select 1')
      sockets.open()
    } catch {
      // A refusal is an answer. If nothing listens, every connection fails by itself.
      if (connection !== null) sockets.open()
      drop()
    } finally {
      clearTimeout(deadline)
    }
    if (!stopped) timer = setTimeout(beat, pauseMs).unref()
  }
  timer = setTimeout(beat, pauseMs).unref()
  return {
    stop: () => {
      stopped = true
      clearTimeout(timer)
      drop()
    },
  }
}

const minVersion = 15

/** By default PgBouncer refuses connections with time limits. */
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

/** A process's connections outside its pools: listener and pulse. */
const connectionsBesidePools = 2

export interface PostgresOptions {
  databaseUrl: string
  listenUrl?: string | undefined
  poolSize?: number | undefined
  queuePoolSize?: number | undefined
  statementTimeoutMs?: number | undefined
  log: Logger
}

/** Opens connections to Postgres. The result is part of `OpenDatabase`, described there. */
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
  // Not through a pooler: statements may wait there for a connection, however quick Postgres is.
  const pulse = startPulse(directUrl, sockets)
  const listener = createListener(
    () =>
      new pg.Client({
        connectionString: directUrl,
        connectionTimeoutMillis: connectionTimeoutMs,
        application_name: applicationNames.listener,
        // Channels may be silent forever: the socket's keep-alive finds a dead peer.
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
