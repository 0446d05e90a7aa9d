import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mismatchOfVersion, schemaVersion } from '../schema-version.ts'
import { locationOfDataDirectory, SchemaVersionError } from '../schema-version-error.ts'
import { currentDatabaseIn } from './data-directory.ts'
import { explainFileError } from './data-directory-error.ts'

// The schema version in a file, readable before opening the database writes to it. Backups include it.

const fileIn = (databaseDirectory: string) => join(databaseDirectory, 'WISHWELL_SCHEMA_VERSION')

/** @returns 0 without a file, as before version 1; null if it holds no number */
function readVersion(databaseDirectory: string): number | null {
  const file = fileIn(databaseDirectory)
  if (!existsSync(file)) return 0
  const text = readFileSync(file, 'utf8').trim()
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** Writes nothing, so needs no lock. @throws SchemaVersionError; DataDirectoryError if the file is unreadable */
export function requireReadableVersion(dataDir: string): void {
  const directory = currentDatabaseIn(dataDir)
  if (directory === null) return
  let version: number | null
  try {
    version = readVersion(directory)
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
  // A damaged file decides nothing; the migrations recorded in the database do.
  const mismatch = version === null ? null : mismatchOfVersion(version)
  if (mismatch !== null) throw new SchemaVersionError(mismatch, locationOfDataDirectory(dataDir))
}

/** Called before migrating, so that the file is never behind the database. The caller holds the lock. */
export function writeVersion(databaseDirectory: string): void {
  if (readVersion(databaseDirectory) === schemaVersion) return
  const file = fileIn(databaseDirectory)
  writeFileSync(`${file}.new`, `${schemaVersion}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
