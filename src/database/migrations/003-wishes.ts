import { type Kysely, sql } from 'kysely'
import { placing } from './version-3/placing.ts'
import { search } from './version-3/search.ts'
import { storing } from './version-3/storing.ts'
import { topics } from './version-3/topics.ts'
import { wishCorrections } from './version-3/wish-corrections.ts'
import { wishNumbers } from './version-3/wish-numbers.ts'
import { wishes } from './version-3/wishes.ts'

const statements: readonly string[] = [search, storing, wishes, wishNumbers, wishCorrections, placing, topics].flat()

/** Wishes, and what exact searches read. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
