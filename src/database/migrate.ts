import { type MigrationProvider, Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import type { Database } from './open.ts'
import { type DatabaseLocation, requireReadableSchema, someDatabase } from './schema-version.ts'

const provider: MigrationProvider = { getMigrations: async () => ({ ...migrations }) }

/**
 * Brings the tables up to date, under Kysely's migration lock: of several processes that start at once one migrates and
 * the others wait for it.
 * @param location names the database in an error.
 * @returns the names of the migrations that ran now.
 * @throws SchemaVersionError when an older or a newer Wishwell made the database, which is unchanged then; the error of a
 * migration that failed, which is rolled back.
 */
export async function migrate(database: Database, location: DatabaseLocation = someDatabase): Promise<string[]> {
  await requireReadableSchema(database, location)
  const { error, results } = await new Migrator({ db: database, provider }).migrateToLatest()
  if (error) {
    // A process of a newer version may have migrated while this one waited for the lock.
    await requireReadableSchema(database, location)
    throw error
  }
  return (results ?? []).map((result) => result.migrationName)
}
