import { sql } from 'kysely'
import type { Database, Executor } from '../../database/open.ts'
import { pauseUnlessAborted } from '../../runtime/abort.ts'

/** The maximum rows that one statement deletes. */
const sliceRows = 5_000
/** A consumer that has not read a change for so long is dropped, or the log would grow for ever; it copies all requests when it returns. */
const lostAfterDays = 3

/** Drops consumers that have not read a change for days. @returns their names. */
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

/** Deletes a slice of the changes that all consumers have read, or all when none is left. @returns whether there may be more. */
export async function deleteReadChanges(database: Database, rows = sliceRows): Promise<boolean> {
  await dropLostConsumers(database)
  // A consumer registers before anything is noted for it: a row that this statement sees is older than any registration that it does not.
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

/**
 * A position in the log of changes: a `pg_snapshot`, which says of every transaction whether it was complete. Positions are no numbers of
 * rows or of transactions: transactions end in another order than they begin, so what is behind the highest number seen is not all read.
 */
interface Snapshot {
  /** No transaction from this number on was complete … */
  end: bigint
  /** … and below it all but these. */
  open: bigint[]
}

/** Reads the text form of Postgres, `xmin:xmax:xip_list`. */
export function parseSnapshot(text: string): Snapshot {
  const [, end = '', open = ''] = text.split(':')
  return { end: BigInt(end), open: open === '' ? [] : open.split(',').map(BigInt) }
}

function formatSnapshot({ end, open }: Snapshot): string {
  const sorted = open.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return `${sorted[0] ?? end}:${end}:${sorted.join(',')}`
}

/** The part of a snapshot below a transaction: the position of a reader that did not read from it on. */
const snapshotBelow = ({ open }: Snapshot, end: bigint): Snapshot => ({
  end,
  open: open.filter((id) => id < end),
})

/** What a consumer has to read again. */
export interface Changes {
  /** The requests that were changed, created or deleted; a deleted one exists no longer. Each is here once. */
  ids: string[]
  /** The position that they were read from. */
  from: string
  /** The position after them, for `commitPosition`. */
  to: string
  /** There are more. */
  hasMore: boolean
}

export interface RegisterOptions {
  /** Leaves the position of one that is registered already, so that several processes may register it. */
  ifAbsent?: boolean
  signal?: AbortSignal
}

/** How often the end of the transactions that were open at a registration is checked. */
const fencePollMs = 50

/**
 * Makes a consumer follow all changes from now on, also one that is registered already. When it returns, every change is either visible
 * to all later statements or will be read by `readChanges`: a copy of all requests that begins then misses nothing.
 *
 * It waits until the transactions that are writing end: one of them may have changed a request before it could know of the consumer.
 * @throws the reason of the signal.
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
  // Above the numbers of all transactions that have begun to write: the end of a snapshot may be below some of them.
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

/** Ends a registration: its changes are no longer stored for it. */
export async function dropConsumer(executor: Executor, name: string): Promise<void> {
  await sql`delete from search_consumers where name = ${name}`.execute(executor)
}

/**
 * The changes that were committed since the position of a consumer, those of the oldest transactions first, and all that a transaction
 * changed. The position moves only by `commitPosition`, so what was not dealt with is read again.
 * @param executor no transaction that changes requests itself.
 * @param max so many requests, and the others of the last transaction.
 * @returns null for a consumer that is not registered, or whose position is of another cluster: it must be registered and copy all requests.
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

/**
 * Records that a consumer has dealt with changes. To be called when they are stored safely: what a crash leaves before it is read again.
 * @returns false when its position was moved meanwhile, by another process or a new registration: then nothing changes.
 */
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

/** What a consumer has not read yet. */
export interface Backlog {
  name: string
  /** Up to `maxCounted`. */
  changes: number
  /** How long ago the oldest of them was noted; 0 without any. */
  ageMs: number
}

const maxCounted = 10_000

/**
 * The backlogs of consumers, by name.
 * @param names of these only; without them of all.
 */
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
