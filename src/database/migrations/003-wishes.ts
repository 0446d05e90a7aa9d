import { type Kysely, sql } from 'kysely'
import { search } from './version-3/search.ts'
import { wishCorrections } from './version-3/wish-corrections.ts'
import { wishNumbers } from './version-3/wish-numbers.ts'
import { wishes } from './version-3/wishes.ts'

const statements: readonly string[] = [search, wishes, wishNumbers, wishCorrections].flat()

/** Wishes, and what exact searches read. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
