import { type Kysely, sql } from 'kysely'
import { placing } from './version-3/placing.ts'
import { search } from './version-3/search.ts'
import { wishes } from './version-3/wishes.ts'

const statements: readonly string[] = [search, wishes, placing].flat()

/** Wishes, and what exact searches read. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
