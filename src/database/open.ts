import { Kysely, type Transaction as KyselyTransaction, type Logger, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { ConstructorOptions } from 'pg-boss'
import { fromPglite } from 'pg-boss'
import { type EmbeddedClient, openEmbedded } from './embedded/client.ts'
import { databaseIn, tidyDataDirectory } from './embedded/data-directory.ts'
import { embeddedDialect } from './embedded/dialect.ts'
import { lockDataDirectory } from './embedded/lock.ts'
import { type Listen, listenOnPostgres } from './listen.ts'
import type { Tables } from './tables.ts'
import { valueTypes } from './values.ts'

/** The handle for statements outside of a transaction. */
export type Database = Kysely<Tables>
export type Transaction = KyselyTransaction<Tables>
/** What a function takes that may run inside a transaction or outside. */
export type Executor = Database | Transaction

export type DatabaseHome = 'embedded' | 'postgres'

export interface OpenDatabase {
  database: Database
  home: DatabaseHome
  /** The embedded database beneath `database`; null on Postgres, which has tools of its own for backups. */
  embedded: EmbeddedClient | null
  /** What pg-boss needs to keep its queue in the same database. */
  queueOptions: ConstructorOptions
  listen: Listen
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** A Postgres address; undefined means the embedded database in `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  /** The most connections that this process opens to Postgres. */
  poolSize?: number
  /** How long a statement may take on Postgres; 0 for as long as it takes. (The embedded database has no such limit.) */
  statementTimeoutMs?: number
  /** Called after every statement of ours that ran (not those of the queue), with its SQL. */
  onStatement?: ((statement: string) => void) | undefined
  /** Called when the embedded database dies by itself: the process can only stop. */
  onCrash: (error: Error) => void
}

/** Long enough for any bounded statement, short enough that a runaway one cannot hold a connection for long. */
const defaultStatementTimeoutMs = 15_000

/** No transaction of ours waits for anything but the database. */
const idleInTransactionTimeoutMs = 10_000

const oldestVersion = 15

async function assertVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: number }>("select current_setting('server_version_num')::int as version")
  const major = Math.trunc((rows[0]?.version ?? 0) / 10_000)
  if (major < oldestVersion)
    throw new Error(`Wishwell needs Postgres ${oldestVersion} or later; this server is ${major}.`)
}

async function openPostgres(options: DatabaseOptions & { databaseUrl: string }): Promise<OpenDatabase> {
  const { databaseUrl: connectionString, poolSize = 10, statementTimeoutMs = defaultStatementTimeoutMs } = options
  const pool = new pg.Pool({
    connectionString,
    max: poolSize,
    types: valueTypes,
    statement_timeout: statementTimeoutMs,
    // A process that is frozen inside a transaction would hold its locks for ever.
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: 10_000,
    application_name: 'wishwell',
  })
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  // So does one that breaks while it is in use: its query fails by itself, and that is where it is dealt with.
  pool.on('connect', (client) => client.on('error', () => {}))
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), ...logging(options) })
  const listeners: (() => Promise<void>)[] = []
  await assertVersion(pool).catch(async (error: unknown) => {
    await database.destroy()
    throw error
  })
  return {
    database,
    home: 'postgres',
    embedded: null,
    queueOptions: { connectionString, max: 4, application_name: 'wishwell-queue' },
    listen: async (channel, onNotification) => {
      const stop = await listenOnPostgres(connectionString, channel, onNotification)
      listeners.push(stop)
      return stop
    },
    close: async () => {
      await Promise.all(listeners.map((stop) => stop()))
      await database.destroy()
    },
  }
}

function logging({ onStatement }: Pick<DatabaseOptions, 'onStatement'>): { log?: Logger } {
  if (!onStatement) return {}
  return {
    log: (event) => {
      if (event.level === 'query') onStatement(event.query.sql)
    },
  }
}

/** Opens an embedded database by its own directory. The caller holds the lock of the data directory. */
export async function openDatabaseFiles(directory: string, options: Pick<DatabaseOptions, 'onCrash' | 'onStatement'>) {
  const client = await openEmbedded(directory, options.onCrash)
  const database: Database = new Kysely<Tables>({
    dialect: embeddedDialect(client),
    ...logging(options),
  })
  return { client, database }
}

async function openInDataDirectory(options: DatabaseOptions): Promise<OpenDatabase> {
  const lock = lockDataDirectory(options.dataDir)
  try {
    tidyDataDirectory(options.dataDir)
    const { client, database } = await openDatabaseFiles(databaseIn(options.dataDir), options)
    return {
      database,
      home: 'embedded',
      embedded: client,
      // The queue looks for work all the time; that alone is nobody's use, or upkeep would never find the database idle.
      queueOptions: { db: fromPglite({ ...client.uncounted, listen: client.listen } as never), backend: 'pglite' },
      listen: client.listen,
      close: async () => {
        await client.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Opens the database: Postgres when an address is given, else the embedded one, whose directory is locked for this
 * process until `close`.
 * @throws DataDirectoryInUseError when another process has the data directory.
 */
export function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { databaseUrl } = options
  return databaseUrl === undefined ? openInDataDirectory(options) : openPostgres({ ...options, databaseUrl })
}
