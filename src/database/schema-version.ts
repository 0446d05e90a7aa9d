import { migrations } from './migrations/index.ts'
import type { SchemaMismatch } from './schema-version-error.ts'

const names = Object.keys(migrations)

/** The schema version of this Wishwell: the number that its last migration begins with. */
export const schemaVersion: number = Math.max(...names.map((name) => Number.parseInt(name, 10)))

/** The oldest schema version that `migrate` can bring up to date. */
const minSchemaVersion = 1

/** @returns null when this Wishwell can read that version. */
export function mismatchOfVersion(version: number): SchemaMismatch | null {
  if (version > schemaVersion) return 'newer'
  return version < minSchemaVersion ? 'older' : null
}

/** @param recorded the migrations that ran on a database; none on an empty one. @returns null when this Wishwell can read it. */
export function mismatchOfMigrations(recorded: readonly string[]): SchemaMismatch | null {
  if (recorded.length === 0) return null
  if (!recorded.includes(names[0] as string)) return 'older'
  return recorded.every((name) => names.includes(name)) ? null : 'newer'
}
