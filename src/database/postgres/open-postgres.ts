import { Kysely, type Logger } from 'kysely'
import pg from 'pg'
import type { Tables } from '../tables.ts'
import { readConnectionUse } from './connection-use.ts'
import { createListener } from './listen.ts'
import {
  applicationNames,
  connectionTimeoutMs,
  defaultStatementTimeoutMs,
  openMainPool,
  waitForGoodbye,
} from './pools.ts'
import { startPulse } from './pulse.ts'
import { openQueue } from './queue-connections.ts'
import { createSockets } from './sockets.ts'

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

export interface PostgresOptions {
  databaseUrl: string
  /** The address of Postgres itself where `databaseUrl` is a pooler. */
  listenUrl?: string | undefined
  poolSize?: number | undefined
  queuePoolSize?: number | undefined
  statementTimeoutMs?: number | undefined
  log: Logger
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
