import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { installDatabase, makeWorkDirectory, tidyDataDirectory } from '../../database/embedded/data-directory.ts'
import { lockDataDirectory } from '../../database/embedded/lock.ts'
import { writeVersion } from '../../database/embedded/version-file.ts'
import { migrate } from '../../database/migrate.ts'
import { openDatabaseFiles } from '../../database/open.ts'
import { SchemaVersionError } from '../../database/schema-version-error.ts'
import { unpackArchive } from './archive.ts'
import { BackupError } from './backup-error.ts'
import { databaseName, differingTables, type Manifest, takeCensus } from './manifest.ts'

function explainFailure(error: unknown): BackupError {
  if (error instanceof BackupError) return error
  if (error instanceof SchemaVersionError) {
    const maker = error.mismatch === 'newer' ? 'a newer' : 'an older'
    return new BackupError(
      `Its database was made by ${maker} Wishwell, whose tables this version cannot read: restore it with that version.`,
    )
  }
  return new BackupError(`Its database does not start: ${error instanceof Error ? error.message : error}`)
}

/** Opens and migrates an unpacked database. @throws BackupError if it fails, or differs from the manifest. */
async function prove(directory: string, manifest: Manifest): Promise<void> {
  const crash = Promise.withResolvers<never>()
  crash.promise.catch(() => {})
  try {
    const { client, database } = await Promise.race([
      openDatabaseFiles(directory, { onCrash: crash.reject }),
      crash.promise,
    ])
    try {
      // Must precede the migration.
      const differing = differingTables(manifest.tables, await client.alone(takeCensus))
      if (differing.length > 0) {
        throw new BackupError(`Its database differs from its manifest in ${differing.join(', ')}.`)
      }
      writeVersion(directory)
      await migrate(database)
    } finally {
      await client.close()
    }
  } catch (error) {
    throw explainFailure(error)
  }
}

function requireRoom(dataDir: string, { bytes }: Manifest): void {
  const { bavail, bsize } = statfsSync(dataDir)
  const toMegabytes = (amount: number) => Math.ceil(amount / 1e6).toLocaleString('en-US')
  if (bavail * bsize > bytes) return
  const free = toMegabytes(bavail * bsize)
  throw new BackupError(`There is no room in ${dataDir}: ${toMegabytes(bytes)} MB are needed, ${free} MB are free.`)
}

interface Restore {
  file: string
  manifest: Manifest
  dataDir: string
  now: Date
  /** Called with the lock held, before the directory changes; throw to abort the restore. */
  confirm(): Promise<void>
}

/**
 * Replaces a data directory's database with a backup's, keeping the old one under another name. After a kill at any
 * step, the next start finds either of them.
 * @returns where the old database is now; null if there was none.
 * @throws DataDirectoryInUseError, or BackupError for an unusable backup. Nothing has changed then.
 */
export async function restoreBackup({ file, manifest, dataDir, now, confirm }: Restore): Promise<string | null> {
  const lock = lockDataDirectory(dataDir)
  try {
    tidyDataDirectory(dataDir)
    await confirm()
    requireRoom(dataDir, manifest)
    const work = makeWorkDirectory(dataDir)
    try {
      const unpacked = join(work, databaseName)
      mkdirSync(unpacked, { mode: 0o700 })
      await unpackArchive(file, work)
      await prove(unpacked, manifest)
      return installDatabase(dataDir, unpacked, now)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  } finally {
    lock.release()
  }
}
