import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import type { IndexState } from '../../database/tables/requests.ts'
import { dropConsumer, registerConsumer } from '../outbox/outbox.ts'
import { type Cluster, IndexMissingError } from './cluster.ts'
import { indexBody, mappingVersion } from './documents.ts'

// The request indexes in the cluster: the one that searches read, and the one being built to replace it.

/** How long a retired index is kept for running searches. */
const retirementSeconds = 30

export interface SearchIndexRow {
  name: string
  alias: string
  state: IndexState
  mapping: number
  shards: number
  stateSeconds: number
}

/** The indexes, oldest first. */
export async function readIndexes(executor: Executor): Promise<SearchIndexRow[]> {
  const { rows } = await sql<SearchIndexRow>`
    select name, alias, state, mapping, shards, extract(epoch from now() - state_since)::float8 as "stateSeconds"
    from search_indexes order by created_at, name`.execute(executor)
  return rows
}

/** Names a new index, unless one is being built. Does not need the cluster. */
async function beginIndex(transaction: Transaction, shards: number, needed: (rows: SearchIndexRow[]) => boolean) {
  // Processes that start together must name only one index.
  await takeLock(transaction, 'searchIndex')
  const rows = await readIndexes(transaction)
  if (rows.some(({ state }) => state === 'creating' || state === 'building') || !needed(rows)) return false
  const alias = rows[0]?.alias ?? `wishwell-${randomBytes(4).toString('hex')}`
  await sql`
    insert into search_indexes (name, alias, state, mapping, shards)
    values (${`${alias}-${randomBytes(4).toString('hex')}`}, ${alias}, 'creating', ${mappingVersion}, ${shards})`.execute(
    transaction,
  )
  return true
}

/** Starts building a new index to replace the current one. @returns false if one is already being built. */
export const beginRebuild = (database: Database, shards: number): Promise<boolean> =>
  database.transaction().execute((transaction) => beginIndex(transaction, shards, () => true))

/** Starts building an index if there is none that this version can read. @returns the serving index's alias. */
export async function requireIndex(database: Database, shards: number): Promise<string> {
  await database
    .transaction()
    .execute((transaction) =>
      beginIndex(
        transaction,
        shards,
        (rows) => !rows.some((row) => row.state === 'serving' && row.mapping === mappingVersion),
      ),
    )
  const [first] = await readIndexes(database)
  return first!.alias
}

async function setState(executor: Executor, name: string, from: IndexState, to: IndexState): Promise<void> {
  await sql`
    update search_indexes set state = ${to}, state_since = now() where name = ${name} and state = ${from}`.execute(
    executor,
  )
}

/** Creates the index in the cluster and starts following changes for it. Safe in several processes at once. */
async function create(database: Database, cluster: Cluster, { name, shards }: SearchIndexRow, signal: AbortSignal) {
  await cluster.create(name, indexBody(shards))
  await registerConsumer(database, name, { ifAbsent: true, signal })
  await setState(database, name, 'creating', 'building')
}

/** Fewer unread changes are handled in a moment. */
const fewChanges = 1_000

/** Whether an index has all requests, and nearly all changes since. */
async function isComplete(executor: Executor, name: string): Promise<boolean> {
  const { rows } = await sql<{ complete: boolean }>`
    select is_copied and (
      select count(*) from (
        select from search_changes where transaction_id >= pg_snapshot_xmin(position)
          and not pg_visible_in_snapshot(transaction_id, position) limit ${fewChanges}
      ) as unread) < ${fewChanges} as complete
    from search_consumers where name = ${name}`.execute(executor)
  return rows[0]?.complete === true
}

/** Switches searches to the new index; the old one is deleted a little later. */
async function serve(database: Database, cluster: Cluster, { name, alias }: SearchIndexRow): Promise<void> {
  await cluster.refresh(name)
  // First in the cluster: after a crash, this is repeated.
  await cluster.pointAlias(alias, name)
  await database.transaction().execute(async (transaction) => {
    await takeLock(transaction, 'searchIndex')
    await setState(transaction, name, 'building', 'serving')
    for (const other of await readIndexes(transaction)) {
      if (other.state !== 'serving' || other.name === name) continue
      await setState(transaction, other.name, 'serving', 'retired')
      await dropConsumer(transaction, other.name)
    }
  })
}

async function remove(database: Database, cluster: Cluster, { name }: SearchIndexRow): Promise<void> {
  await cluster.remove(name)
  await sql`delete from search_indexes where name = ${name} and state = 'retired'`.execute(database)
}

/** Why an index cannot be fed: the cluster lost it, or changes that it needs were deleted. */
export type Fault = 'index lost' | 'changes lost'

/** Replaces an index that cannot be fed. One that only lost changes serves until then: hits are checked anyway. */
export async function replaceIndex(database: Database, name: string, fault: Fault): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await takeLock(transaction, 'searchIndex')
    const row = (await readIndexes(transaction)).find((one) => one.name === name)
    if (row === undefined || row.state === 'retired') return
    await dropConsumer(transaction, name)
    if (fault === 'index lost' || row.state !== 'serving') await setState(transaction, name, row.state, 'retired')
    await beginIndex(transaction, row.shards, () => true)
  })
}

/** Whether an index still has its consumer; one idle for days was dropped. */
async function isFollowed(executor: Executor, name: string): Promise<boolean> {
  const { rows } = await sql`select from search_consumers where name = ${name}`.execute(executor)
  return rows.length > 0
}

async function advance(database: Database, cluster: Cluster, row: SearchIndexRow, signal: AbortSignal): Promise<void> {
  const { name, alias, state } = row
  if (state === 'creating') await create(database, cluster, row, signal)
  else if (state === 'retired' && row.stateSeconds > retirementSeconds) await remove(database, cluster, row)
  else if (state === 'serving') await cluster.pointAlias(alias, name)
  else if (state === 'building' && (await isComplete(database, name))) await serve(database, cluster, row)
  const follows = state === 'serving' || state === 'building'
  if (follows && !(await isFollowed(database, name))) await replaceIndex(database, name, 'changes lost')
}

/**
 * Maintains the indexes, except for filling them: creates, switches to, deletes and replaces them as due.
 * @returns the indexes to feed.
 * @throws errors of the cluster or database; repeating is safe.
 */
export async function advanceIndexes(database: Database, cluster: Cluster, signal: AbortSignal): Promise<string[]> {
  for (const row of await readIndexes(database)) {
    try {
      await advance(database, cluster, row, signal)
    } catch (error) {
      if (!(error instanceof IndexMissingError)) throw error
      await replaceIndex(database, row.name, 'index lost')
    }
  }
  const rows = await readIndexes(database)
  return rows.filter(({ state }) => state === 'building' || state === 'serving').map(({ name }) => name)
}
