import { type RawBuilder, sql } from 'kysely'
import type { Executor } from './open.ts'
import type { Tables } from './tables.ts'

/** Maximum rows per statement: in the embedded database every other statement waits for it. */
const sliceRows = 500

/** Deletes a batch of rows that are not locked. @param by indexed column @returns whether more may remain */
export async function deleteSlice(
  executor: Executor,
  table: keyof Tables,
  { where, by, key = 'id' }: { where: RawBuilder<unknown>; by?: string; key?: string },
): Promise<boolean> {
  // An array, because Postgres may rerun a subquery of IN with another batch each time.
  const { rows } = await sql`
    delete from ${sql.table(table)} where ${sql.ref(key)} = any(array(
      select ${sql.ref(key)} from ${sql.table(table)} where ${where}
      ${by === undefined ? sql`` : sql`order by ${sql.ref(by)}`} limit ${sliceRows} for update skip locked
    )) returning 1`.execute(executor)
  return rows.length === sliceRows
}
