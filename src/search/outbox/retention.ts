import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'

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
