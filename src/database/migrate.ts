import { type MigrationProvider, Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import type { Database } from './open.ts'

const provider: MigrationProvider = { getMigrations: async () => ({ ...migrations }) }

export async function migrate(database: Database): Promise<string[]> {
  const { error, results } = await new Migrator({ db: database, provider }).migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}
