import { migrations } from './migrations/index.ts'
import type { SchemaMismatch } from './schema-version-error.ts'

const names = Object.keys(migrations)

/** A migration's date as a number: 20261129. */
const versionOf = (name: string) => Number(name.slice(0, 10).replaceAll('-', ''))

/** This Wishwell's schema version: the date of its last migration. */
export const schemaVersion: number = Math.max(...names.map(versionOf))

/** Oldest schema version `migrate` can update: the first release. */
const minSchemaVersion = versionOf(names[0] as string)

/** @returns null if this Wishwell can read that version */
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
