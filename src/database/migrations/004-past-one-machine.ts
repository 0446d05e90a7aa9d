import { type Kysely, sql } from 'kysely'
import { cachedAnswers } from './version-4/answers.ts'
import { dataImport } from './version-4/data-import.ts'
import { deltas } from './version-4/deltas.ts'
import { derivedRows } from './version-4/derived-rows.ts'
import { searchOutbox } from './version-4/outbox.ts'
import { searchEngine } from './version-4/search-engine.ts'

const statements: readonly string[] = [
  deltas,
  searchOutbox,
  searchEngine,
  cachedAnswers,
  dataImport,
  derivedRows,
].flat()

/** What several processes and search engines outside of the database need. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
