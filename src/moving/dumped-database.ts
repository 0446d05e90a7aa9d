import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'

/** Whether a migration of Wishwell ever ran on a database. An export of another one would make tables in it. */
export async function hasWishwellTables(executor: Executor): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass(quote_ident(current_schema()) || '.kysely_migration') is not null as exists`.execute(executor)
  return rows[0]?.exists === true
}
