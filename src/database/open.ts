import { Kysely, type Transaction as KyselyTransaction, type Logger } from 'kysely'
import { type ConstructorOptions, fromPglite } from 'pg-boss'
import { type EmbeddedClient, openEmbedded } from './embedded/client.ts'
import { createDatabaseFiles } from './embedded/creation.ts'
import { databaseIn, tidyDataDirectory } from './embedded/data-directory.ts'
import { explainOpening } from './embedded/data-directory-error.ts'
import { embeddedDialect } from './embedded/dialect.ts'
import { refuseWritesWithoutSpace, requireFreeSpace } from './embedded/free-space.ts'
import { lockDataDirectory } from './embedded/lock.ts'
import { requireReadableVersion, writeVersion } from './embedded/version-file.ts'
import type { ConnectionUse } from './postgres/connection-use.ts'
import type { Listen } from './postgres/listen.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import type { Tables } from './tables.ts'
import { type Writes, watchWrites } from './writes.ts'

export type Database = Kysely<Tables>
export type Transaction = KyselyTransaction<Tables>
/** For functions that may run inside or outside a transaction. */
export type Executor = Database | Transaction

export type DatabaseBackend = 'embedded' | 'postgres'

export interface OpenDatabase {
  database: Database
  backend: DatabaseBackend
  /** The embedded database below `database`; null on Postgres, which has its own backup tools. */
  embedded: EmbeddedClient | null
  /** Lets pg-boss store its queue in the same database. */
  queueOptions: ConstructorOptions
  listen: Listen
  /** False while writes are refused, e.g. by a full disk. After a refused write it tries one itself. */
  takesWrites(): Promise<boolean>
  /** Connections Postgres has and allows, and what processes like this one need; null when embedded. */
  readConnectionUse: (() => Promise<ConnectionUse>) | null
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Postgres address; undefined for the embedded database in `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  /** Postgres' own address if `databaseUrl` is a pooler. */
  listenUrl?: string | undefined
  /** Maximum Postgres connections of this process for statements. */
  poolSize?: number
  queuePoolSize?: number
  /** Statement time limit on Postgres, 0 for none. The embedded database has none until `embedded.limitStatements`. */
  statementTimeoutMs?: number
  /** Called with the SQL of every statement of ours (not the queue's) that ran. */
  onStatement?: ((statement: string) => void) | undefined
  /** Called if the embedded database dies: the process can only stop. */
  onCrash: (error: Error) => void
}

const createLog =
  ({ onStatement }: Pick<DatabaseOptions, 'onStatement'>, writes: Writes): Logger =>
  (event) => {
    if (event.level === 'query') onStatement?.(event.query.sql)
    else writes.failed(event.error)
  }

/** Opens an embedded database by its own directory. The caller holds the data directory's lock. */
export async function openDatabaseFiles(directory: string, options: Pick<DatabaseOptions, 'onCrash' | 'onStatement'>) {
  const client = await openEmbedded(directory, options.onCrash)
  const log = createLog(options, watchWrites())
  return { client, database: new Kysely<Tables>({ dialect: embeddedDialect(client), log }) }
}

/** Opens a data directory's database, creating it if missing, or incomplete after a crash. */
async function openOrMakeDatabase({ dataDir, onCrash }: DatabaseOptions): Promise<EmbeddedClient> {
  await createDatabaseFiles(dataDir)
  writeVersion(databaseIn(dataDir))
  return openEmbedded(databaseIn(dataDir), onCrash)
}

/** A handle on a running embedded database. @param close ends its use */
export function handleOfEmbedded(
  client: EmbeddedClient,
  options: Pick<DatabaseOptions, 'onStatement'>,
  close: () => Promise<void>,
): OpenDatabase {
  const writes = watchWrites()
  const database: Database = new Kysely<Tables>({ dialect: embeddedDialect(client), log: createLog(options, writes) })
  return {
    database,
    backend: 'embedded',
    embedded: client,
    // The queue polls all the time; counted as use, it would keep upkeep from ever seeing an idle database.
    queueOptions: { db: fromPglite({ ...client.uncounted, listen: client.listen } as never), backend: 'pglite' },
    listen: client.listen,
    readConnectionUse: null,
    takesWrites: () => writes.areTaken(database),
    close,
  }
}

async function openInDataDirectory(options: DatabaseOptions): Promise<OpenDatabase> {
  requireReadableVersion(options.dataDir)
  const lock = lockDataDirectory(options.dataDir)
  try {
    tidyDataDirectory(options.dataDir)
    requireFreeSpace(options.dataDir)
    const client = await openOrMakeDatabase(options)
    const space = refuseWritesWithoutSpace(client, options.dataDir)
    const handle = handleOfEmbedded(client, options, async () => {
      space.stop()
      await client.close()
      lock.release()
    })
    return { ...handle, takesWrites: async () => !space.isRefusing() && (await handle.takesWrites()) }
  } catch (error) {
    lock.release()
    throw explainOpening(error, options.dataDir)
  }
}

/**
 * Opens Postgres if an address is given, else the embedded database, locked until `close`.
 * @throws DataDirectoryInUseError; SchemaVersionError, before any write, for an older or newer Wishwell's (on Postgres,
 *   `migrate` checks)
 */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { databaseUrl, listenUrl, poolSize, queuePoolSize, statementTimeoutMs } = options
  if (databaseUrl === undefined) return openInDataDirectory(options)
  const writes = watchWrites()
  const log = createLog(options, writes)
  const opened = await openPostgres({ databaseUrl, listenUrl, poolSize, queuePoolSize, statementTimeoutMs, log })
  return {
    ...opened,
    backend: 'postgres',
    embedded: null,
    takesWrites: () => writes.areTaken(opened.database),
  }
}
