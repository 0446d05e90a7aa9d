import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import * as firstTables from './migrations/001-first-tables.ts'
import * as limitsAndIdempotency from './migrations/002-limits-and-idempotency.ts'
import * as deletedAccounts from './migrations/003-deleted-accounts.ts'
import * as platforms from './migrations/004-platforms.ts'
import * as jobsUnderWay from './migrations/005-jobs-under-way.ts'
import * as purge from './migrations/006-purge.ts'
import * as fairTurns from './migrations/007-fair-turns.ts'
import * as searchWords from './migrations/009-search-words.ts'
import * as topicCounts from './migrations/011-topic-counts.ts'
import * as fewRequests from './migrations/012-few-requests.ts'
import * as liveCollection from './migrations/013-live-collection.ts'
import * as sessions from './migrations/014-sessions.ts'
import * as changes from './migrations/015-changes.ts'
import * as keptEffects from './migrations/016-kept-effects.ts'
import type { Database } from './open.ts'

/** In the order in which they run. Only ever appended to: a released migration is never edited, nor taken back. */
const migrations: Record<string, Migration> = {
  '001-first-tables': firstTables,
  '002-limits-and-idempotency': limitsAndIdempotency,
  '003-deleted-accounts': deletedAccounts,
  '004-platforms': platforms,
  '005-jobs-under-way': jobsUnderWay,
  '006-purge': purge,
  '007-fair-turns': fairTurns,
  '009-search-words': searchWords,
  '011-topic-counts': topicCounts,
  '012-few-requests': fewRequests,
  '013-live-collection': liveCollection,
  '014-sessions': sessions,
  '015-changes': changes,
  '016-kept-effects': keptEffects,
}

const provider: MigrationProvider = { getMigrations: async () => migrations }

/**
 * Brings the tables up to date, under Kysely's migration lock: of several processes that start at once one migrates and
 * the others wait for it.
 * @returns the names of the migrations that ran now.
 * @throws when a migration fails (it is rolled back) or the database is from a newer Wishwell.
 */
export async function migrate(database: Database): Promise<string[]> {
  const { error, results } = await new Migrator({ db: database, provider }).migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}
