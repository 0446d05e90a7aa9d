import { migrations } from './migrations/index.ts'
import type { SchemaMismatch } from './schema-version-error.ts'

const names = Object.keys(migrations)

/** The date that a migration begins with, as a number: 20261129. */
const versionOf = (name: string) => Number(name.slice(0, 10).replaceAll('-', ''))

/** The schema version of this Wishwell: the date of its last migration. */
export const schemaVersion: number = Math.max(...names.map(versionOf))

/** The oldest schema version that `migrate` can bring up to date: the first release. */
const minSchemaVersion = versionOf(names[0] as string)

/** @returns null when this Wishwell can read that version. */
export function mismatchOfVersion(version: number): SchemaMismatch | null {
  if (version > schemaVersion) return 'newer'
  return version < minSchemaVersion ? 'older' : null
}

/** @param recorded migrations that ran, none on an empty database @returns null if this Wishwell can read it */
export function mismatchOfMigrations(recorded: readonly string[]): SchemaMismatch | null {
  if (recorded.length === 0) return null
  if (!recorded.includes(names[0] as string)) return 'older'
  return recorded.every((name) => names.includes(name)) ? null : 'newer'
}
