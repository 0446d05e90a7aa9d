import { cpSync, mkdtempSync } from 'node:fs'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { EmbeddedClient } from '../src/database/embedded/client.ts'
import { type Database, handleOfEmbedded, type OpenDatabase, openDatabase } from '../src/database/open.ts'
import { createUpkeep } from '../src/database/upkeep/upkeep.ts'

// One embedded database a test worker: starting one takes a second of CPU time and reads 40 MB, emptying one takes 20 ms.
// It is lent to one user at a time; another one gets a copy of the template.

/** Everything but rows and statistics that a test could leave behind: tables, their columns, rules and code, settings of the session. */
const shapeOfDatabase = sql<{ shape: string }>`
  select md5(string_agg(line, chr(10) order by line)) as shape from (
    select concat_ws(' ', 'column', attrelid::regclass, attname, atttypid::regtype, attnotnull) as line
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where attrelid >= 16384 and attnum > 0 and relkind in ('r', 'p', 'v', 'm')
    union all select concat_ws(' ', 'index', pg_get_indexdef(indexrelid), indisvalid) from pg_index where indexrelid >= 16384
    union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, convalidated) from pg_constraint where conrelid >= 16384
    union all select concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgenabled) from pg_trigger where not tgisinternal
    union all select concat_ws(' ', 'function', oid::regprocedure, md5(prosrc)) from pg_proc where oid >= 16384
    union all select concat_ws(' ', 'setting', name, setting) from pg_settings where source in ('session', 'database', 'user')
  ) as lines`

/**
 * Statistics as of a table that nothing ever analysed: those of the last test's rows would mislead the plans of the next one. Also the
 * sample of ANALYZE, which upkeep sets in the session.
 */
const forgetStatistics = `
  select pg_clear_relation_stats(nspname, relname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where pg_class.oid >= 16384 and relkind in ('r', 'i', 'm') and nspname not like 'pg_%' and (relpages > 0 or reltuples > -1);
  select pg_clear_attribute_stats(schemaname, tablename, attname, inherited) from pg_stats
    where schemaname not in ('pg_catalog', 'information_schema');
  select pg_stat_reset();
  reset default_statistics_target;
  discard plans`

/** Deleted rows stay in the files of their tables, and every scan passes them, until a VACUUM. */
const grownTables = sql<{ name: string }>`
  select oid::regclass::text as name from pg_class
  where oid >= 16384 and relkind = 'r' and pg_relation_size(oid) > 32 * 8192`

interface Shared {
  dataDir: string
  opened: OpenDatabase
  client: EmbeddedClient
  shape: string
  isLent: boolean
}

/** A loan of the database of this worker. */
export interface Loan {
  dataDir: string
  /** Opens it, as `openDatabase` does; closing it ends what listens, but the database goes on. */
  open: typeof openDatabase
  /** Stops it and starts it again from its files. */
  reopen(): Promise<void>
  /** Gives it back; whatever used it must be closed. */
  end(): void
}

let shared: Shared | null = null

const onCrash = (error: Error) => {
  throw error
}

function clientOf({ embedded }: OpenDatabase): EmbeddedClient {
  if (embedded === null) throw new Error('not the embedded database')
  return embedded
}

const readShape = async (database: Database): Promise<string> =>
  (await shapeOfDatabase.execute(database)).rows[0]?.shape ?? ''

async function start(template: string): Promise<Shared> {
  const dataDir = mkdtempSync(`${template}-of-worker-`)
  cpSync(template, dataDir, { recursive: true })
  const opened = await openDatabase({ databaseUrl: undefined, dataDir, onCrash })
  const client = clientOf(opened)
  // What every service does at its start: it sets parameters of the index and of the session.
  await createUpkeep({ client, log: pino({ level: 'silent' }) })
  return { dataDir, opened, client, shape: await readShape(opened.database), isLent: true }
}

/** Makes an empty database as good as new, but for its shape. */
async function renew({ client, opened }: Shared): Promise<void> {
  for (const { name } of (await grownTables.execute(opened.database)).rows) await client.exec(`vacuum ${name}`)
  await client.exec(forgetStatistics)
}

/** A client whose close ends only its subscriptions. */
function borrow(client: EmbeddedClient): { client: EmbeddedClient; stopListening(): Promise<void> } {
  const listening = new Set<() => Promise<void>>()
  const listen: EmbeddedClient['listen'] = async (channel, onNotification) => {
    const stop = await client.listen(channel, onNotification)
    listening.add(stop)
    return async () => {
      listening.delete(stop)
      await stop()
    }
  }
  const stopListening = async () => {
    for (const stop of listening) await stop()
    listening.clear()
  }
  const borrowed: EmbeddedClient = Object.create(client, { listen: { value: listen } })
  return { client: borrowed, stopListening }
}

/**
 * Borrows the database of this worker, empty.
 * @param empty deletes all rows.
 * @returns null while it is lent.
 */
export async function borrowEmbedded(
  template: string,
  empty: (database: Database) => Promise<void>,
): Promise<Loan | null> {
  if (shared?.isLent) return null
  if (shared) {
    shared.isLent = true
    await empty(shared.opened.database)
    await renew(shared)
    if ((await readShape(shared.opened.database)) !== shared.shape) {
      await shared.opened.close()
      shared = null
    }
  }
  shared ??= await start(template)
  const lent = shared
  return {
    dataDir: lent.dataDir,
    open: async (options) => {
      const { client, stopListening } = borrow(lent.client)
      return handleOfEmbedded(client, options, stopListening)
    },
    reopen: async () => {
      await lent.opened.close()
      lent.opened = await openDatabase({ databaseUrl: undefined, dataDir: lent.dataDir, onCrash })
      lent.client = clientOf(lent.opened)
    },
    end: () => {
      lent.isLent = false
    },
  }
}
