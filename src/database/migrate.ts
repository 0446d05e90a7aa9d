import { sql } from 'kysely'
import { type MigrationProvider, Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import type { Database } from './open.ts'
import { mismatchOfMigrations } from './schema-version.ts'
import { type DatabaseLocation, SchemaVersionError, someDatabase } from './schema-version-error.ts'

const provider: MigrationProvider = { getMigrations: async () => ({ ...migrations }) }

async function readRecordedMigrations(database: Database): Promise<string[]> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists`.execute(database)
  if (rows[0]?.exists !== true) return []
  const recorded = await sql<{ name: string }>`select name from kysely_migration`.execute(database)
  return recorded.rows.map(({ name }) => name)
}

/** Checks recorded migrations without writing. @throws SchemaVersionError for another schema version */
async function requireReadableSchema(database: Database, location: DatabaseLocation): Promise<void> {
  const mismatch = mismatchOfMigrations(await readRecordedMigrations(database))
  if (mismatch !== null) throw new SchemaVersionError(mismatch, location)
}

/**
 * Under Kysely's lock, so one of several starting processes migrates and the others wait.
 * @returns names of the migrations run now
 * @throws SchemaVersionError if an older or newer Wishwell made the database, left unchanged; a failed migration's
 *   error, rolled back
 */
export async function migrate(database: Database, location: DatabaseLocation = someDatabase): Promise<string[]> {
  await requireReadableSchema(database, location)
  const { error, results } = await new Migrator({ db: database, provider }).migrateToLatest()
  if (error) {
    // A newer process may have migrated while this one waited for the lock.
    await requireReadableSchema(database, location)
    throw error
  }
  return (results ?? []).map((result) => result.migrationName)
}
