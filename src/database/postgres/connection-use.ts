import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../tables.ts'

/** Connections of a Postgres, and what Wishwell's processes on this database may need. */
export interface ConnectionUse {
  /** Connections for ordinary roles: `max_connections` without reserved ones. */
  available: number
  /** Open connections of all the server's clients, including this process. */
  open: number
  /** Connected Wishwell processes on this database, including this one. */
  processes: number
  neededByProcess: number
  /** Maximum of all these processes, plus other clients' open connections. */
  needed: number
}

interface Counts {
  available: number
  open: number
  processes: number
  ours: number
}

/** Counts processes by their listening connections, assuming this one's configuration. */
export async function readConnectionUse(
  database: Kysely<Tables>,
  { listenerName, connectionsOfProcess }: { listenerName: string; connectionsOfProcess: number },
): Promise<ConnectionUse> {
  const { rows } = await sql<Counts>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as available,
      count(*)::int as open,
      count(*) filter (where datname = current_database() and application_name = ${listenerName})::int as processes,
      count(*) filter (where datname = current_database() and application_name like 'wishwell%')::int as ours
    from pg_stat_activity where datid is not null`.execute(database)
  const { available = 0, open = 0, ours = 0, processes: listening = 0 } = rows[0] ?? {}
  const processes = Math.max(1, listening)
  return {
    available,
    open,
    processes,
    neededByProcess: connectionsOfProcess,
    needed: processes * connectionsOfProcess + open - ours,
  }
}

/** A sentence for the log, and whether the processes fit. */
export function describeConnectionUse({ available, open, processes, neededByProcess, needed }: ConnectionUse) {
  const fits = needed <= available
  const need = `${processes} processes with up to ${neededByProcess} each, and other clients, need ${needed}`
  const remedy = 'Lower DATABASE_POOL_SIZE, raise max_connections, or use PgBouncer (docs/operating.md).'
  const text = fits
    ? `${open} of ${available} connections of Postgres are open`
    : `Postgres allows ${available} connections, but ${need}. ${remedy}`
  return { fits, text }
}

/** Logs the open connections, and warns if processes like this one may need more than exist. */
export async function reportConnections(
  read: (() => Promise<ConnectionUse>) | null,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  if (read === null) return
  try {
    const connections = await read()
    const { fits, text } = describeConnectionUse(connections)
    log[fits ? 'info' : 'warn']({ connections }, text)
  } catch (error) {
    log.warn({ err: error }, 'the connections of Postgres could not be counted')
  }
}
