import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mismatchOfVersion, schemaVersion } from '../schema-version.ts'
import { locationOfDataDirectory, SchemaVersionError } from '../schema-version-error.ts'
import { currentDatabaseIn } from './data-directory.ts'
import { explainFileError } from './data-directory-error.ts'

// Opening a database writes to its files. So the schema version is also in a file of the database directory, where it can be read
// before anything is written. It goes with the database into backups and back.

const fileIn = (databaseDirectory: string) => join(databaseDirectory, 'WISHWELL_SCHEMA_VERSION')

/** @returns 0 when there is no file, as before version 1; null when it holds no number. */
function readVersion(databaseDirectory: string): number | null {
  const file = fileIn(databaseDirectory)
  if (!existsSync(file)) return 0
  const text = readFileSync(file, 'utf8').trim()
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

/**
 * Refuses the database of a data directory that an older or a newer Wishwell made. Nothing is written, so it needs no lock.
 * @throws SchemaVersionError; DataDirectoryError when the file cannot be read.
 */
export function requireReadableVersion(dataDir: string): void {
  const directory = currentDatabaseIn(dataDir)
  if (directory === null) return
  let version: number | null
  try {
    version = readVersion(directory)
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
  // A damaged file decides nothing: the migrations that are recorded in the database do.
  const mismatch = version === null ? null : mismatchOfVersion(version)
  if (mismatch !== null) throw new SchemaVersionError(mismatch, locationOfDataDirectory(dataDir))
}

/**
 * Writes the schema version of this Wishwell into a database directory. It comes before the migrations: the file is never
 * lower than what a crash may leave in the database. The caller holds the lock of the data directory.
 */
export function writeVersion(databaseDirectory: string): void {
  if (readVersion(databaseDirectory) === schemaVersion) return
  const file = fileIn(databaseDirectory)
  writeFileSync(`${file}.new`, `${schemaVersion}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
