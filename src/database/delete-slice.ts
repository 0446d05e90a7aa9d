import { type RawBuilder, sql } from 'kysely'
import type { Executor } from './open.ts'
import type { Tables } from './tables.ts'

/** The maximum of one statement: in the embedded database all other statements wait for it. */
const sliceRows = 500

/**
 * Deletes a slice of the rows of a table that nobody needs any more. Those that others have locked stay.
 * @param by the column of the index that finds them, if any. @param key that of the table
 * @returns whether there may be more.
 */
export async function deleteSlice(
  executor: Executor,
  table: keyof Tables,
  { where, by, key = 'id' }: { where: RawBuilder<unknown>; by?: string; key?: string },
): Promise<boolean> {
  // An array, since Postgres may run a subquery of IN more than once, each time with another slice.
  const { rows } = await sql`
    delete from ${sql.table(table)} where ${sql.ref(key)} = any(array(
      select ${sql.ref(key)} from ${sql.table(table)} where ${where}
      ${by === undefined ? sql`` : sql`order by ${sql.ref(by)}`} limit ${sliceRows} for update skip locked
    )) returning 1`.execute(executor)
  return rows.length === sliceRows
}
