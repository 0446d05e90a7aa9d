import { sql } from 'kysely'
import type { Database, Executor } from '../../database/open.ts'
import { pauseUnlessAborted } from '../../runtime/abort.ts'

const sliceRows = 5_000
/** A consumer idle for this long is dropped, or the log would grow forever; it copies all requests on return. */
const lostAfterDays = 3

/** Drops consumers that have been idle for days. @returns their names. */
export async function dropLostConsumers(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    delete from search_consumers where (
      -- The first one that it has not read: transactions begin in about this order.
      select noted_at from search_changes
      where transaction_id >= pg_snapshot_xmin(position) and not pg_visible_in_snapshot(transaction_id, position)
      order by transaction_id limit 1
    ) < now() - make_interval(days => ${sql.lit(lostAfterDays)})
    returning name`.execute(database)
  return rows.map(({ name }) => name)
}

/** Deletes a slice of the changes that all consumers have read. @returns whether there may be more. */
export async function deleteReadChanges(database: Database, rows = sliceRows): Promise<boolean> {
  await dropLostConsumers(database)
  // Safe: consumers register before changes are logged for them, so rows seen here are older than unseen registrations.
  const result = await sql`
    with needed as materialized (
      select pg_snapshot_xmin(position) as transaction_id from search_consumers
    )
    delete from search_changes where (transaction_id, request_id) in (
      select transaction_id, request_id from search_changes as read
      where not exists (select from needed where needed.transaction_id <= read.transaction_id)
      order by transaction_id limit ${sql.lit(rows)}
    )`.execute(database)
  return (result.numAffectedRows ?? 0n) === BigInt(rows)
}

/** A `pg_snapshot`. A number would not do: transactions end in another order than they begin. */
interface Snapshot {
  /** Transactions from this id on were incomplete. */
  end: bigint
  /** Incomplete transactions below `end`. */
  open: bigint[]
}

/** Parses Postgres' text form, `xmin:xmax:xip_list`. */
export function parseSnapshot(text: string): Snapshot {
  const [, end = '', open = ''] = text.split(':')
  return { end: BigInt(end), open: open === '' ? [] : open.split(',').map(BigInt) }
}

function formatSnapshot({ end, open }: Snapshot): string {
  const sorted = open.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return `${sorted[0] ?? end}:${end}:${sorted.join(',')}`
}

/** The snapshot restricted to transactions below `end`: the position of a reader that stopped there. */
const snapshotBelow = ({ open }: Snapshot, end: bigint): Snapshot => ({
  end,
  open: open.filter((id) => id < end),
})

/** What a consumer must process. */
export interface Changes {
  /** Distinct ids of requests that were created, changed or deleted. */
  ids: string[]
  from: string
  /** The position after them, for `commitPosition`. */
  to: string
  hasMore: boolean
}

export interface RegisterOptions {
  /** Keeps an existing registration's position, so that several processes may register. */
  ifAbsent?: boolean
  signal?: AbortSignal
}

/** How often to check whether the transactions open at a registration have ended. */
const fencePollMs = 50

/**
 * Registers a consumer for all changes from now on, replacing an earlier registration. Once it returns, every change is
 * either visible to later statements or will be read by `readChanges`, so a full copy that starts now misses nothing.
 * Waits for open writing transactions, which may have changed requests before they could see the registration.
 * @throws the signal's reason.
 */
export async function registerConsumer(
  database: Database,
  name: string,
  { ifAbsent = false, signal = new AbortController().signal }: RegisterOptions = {},
): Promise<void> {
  const again = sql`update set position = excluded.position, copied_through = null, is_copied = false`
  await sql`
    insert into search_consumers (name, position) values (${name}, pg_current_snapshot())
    on conflict (name) do ${ifAbsent ? sql`nothing` : again}`.execute(database)
  // Higher than all transactions that have begun to write; the end of a snapshot may be lower.
  const { rows } = await sql<{ fence: string }>`select pg_current_xact_id()::text as fence`.execute(database)
  const areEnded = async () => {
    const { rows: states } = await sql<{ ended: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) > ${rows[0]!.fence}::xid8 as ended`.execute(database)
    return states[0]!.ended
  }
  while (!(await areEnded())) {
    await pauseUnlessAborted(fencePollMs, signal)
    signal.throwIfAborted()
  }
}

/** Ends a registration: changes are no longer kept for it. */
export async function dropConsumer(executor: Executor, name: string): Promise<void> {
  await sql`delete from search_consumers where name = ${name}`.execute(executor)
}

/**
 * Reads the changes committed since the consumer's position, oldest transactions first. Only `commitPosition` moves the
 * position, so unprocessed changes are read again.
 * @param executor not a transaction that itself changes requests
 * @param max how many requests to read, plus the rest of the last transaction
 * @returns null if the consumer must register and copy all: it is unregistered, or its position is of another cluster.
 */
export async function readChanges(executor: Executor, name: string, max: number): Promise<Changes | null> {
  const consumers = await sql<{ position: string }>`
    select position::text as position from search_consumers where name = ${name}
      -- In a copy of the database in another cluster, transactions have other numbers.
      and pg_snapshot_xmax(position) <= pg_snapshot_xmax(pg_current_snapshot())`.execute(executor)
  const consumer = consumers.rows[0]
  if (consumer === undefined) return null
  const { position } = consumer
  const from = parseSnapshot(position)
  const { rows } = await sql<{ now: string; read: number; last: string | null; ids: string[] }>`
    with later as materialized (
      select transaction_id, request_id from search_changes
      where transaction_id >= ${String(from.end)}::xid8
      order by transaction_id fetch first (${max}::bigint) rows with ties
    ), changed as (
      -- Of the transactions that were open at the position. What is visible to this statement is complete in its snapshot.
      select request_id from search_changes where transaction_id = any(${from.open.map(String)}::xid8[])
      union
      select request_id from later
    )
    select pg_current_snapshot()::text as now, (select count(*)::int from later) as read,
      (select transaction_id::text from later order by transaction_id desc limit 1) as last,
      (select coalesce(json_agg(request_id), '[]') from changed) as ids`.execute(executor)
  const { now, read, last, ids } = rows[0]!
  const hasMore = read >= max
  const end = parseSnapshot(now)
  const to = hasMore && last !== null ? snapshotBelow(end, BigInt(last) + 1n) : end
  return { ids, from: position, to: formatSnapshot(to), hasMore }
}

/** Records that changes are safely stored. @returns false, changing nothing, if the position was moved meanwhile. */
export async function commitPosition(
  executor: Executor,
  name: string,
  { from, to }: Pick<Changes, 'from' | 'to'>,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update search_consumers set position = ${to}::pg_snapshot
    where name = ${name} and position::text = ${from}`.execute(executor)
  return numAffectedRows > 0n
}

export interface Backlog {
  name: string
  changes: number
  /** The age of the oldest one; 0 without any. */
  ageMs: number
}

const maxCounted = 10_000

/** The backlogs of consumers, by name. @param names only these; null for all */
export async function backlog(executor: Executor, names: readonly string[] | null = null): Promise<Backlog[]> {
  const { rows } = await sql<Backlog>`
    select name, changes, coalesce(extract(epoch from clock_timestamp() - oldest) * 1000, 0)::float8 as "ageMs"
    from search_consumers, lateral (
      select count(*)::int as changes, min(noted_at) as oldest from (
        select noted_at from search_changes
        where transaction_id >= pg_snapshot_xmin(position) and not pg_visible_in_snapshot(transaction_id, position)
        order by transaction_id limit ${sql.lit(maxCounted)}
      ) as unread
    ) as counted
    where ${names}::text[] is null or name = any(${names}::text[]) order by name`.execute(executor)
  return rows
}
