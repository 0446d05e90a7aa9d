import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { installDatabase, makeWorkDirectory, tidyDataDirectory } from '../database/embedded/data-directory.ts'
import { lockDataDirectory } from '../database/embedded/lock.ts'
import { migrate } from '../database/migrate.ts'
import { openDatabaseFiles } from '../database/open.ts'
import { unpackArchive } from './archive.ts'
import { differingTables, takeCensus } from './census.ts'
import { BackupError, databaseName, type Manifest } from './manifest.ts'

/** Opens an unpacked database once. @throws BackupError when it does not start, or is not what the manifest says. */
async function prove(directory: string, manifest: Manifest): Promise<void> {
  const crash = Promise.withResolvers<never>()
  crash.promise.catch(() => {})
  try {
    const { client, database } = await Promise.race([
      openDatabaseFiles(directory, { onCrash: crash.reject }),
      crash.promise,
    ])
    try {
      // Before the tables change.
      const differing = differingTables(manifest.tables, await client.alone(takeCensus))
      if (differing.length > 0) {
        throw new BackupError(`Its database differs from its manifest in ${differing.join(', ')}.`)
      }
      await migrate(database)
    } finally {
      await client.close()
    }
  } catch (error) {
    if (error instanceof BackupError) throw error
    throw new BackupError(`Its database does not start: ${error instanceof Error ? error.message : error}`)
  }
}

function requireRoom(dataDir: string, { bytes }: Manifest): void {
  const { bavail, bsize } = statfsSync(dataDir)
  const toMegabytes = (amount: number) => Math.ceil(amount / 1e6).toLocaleString('en-US')
  if (bavail * bsize > bytes) return
  const free = toMegabytes(bavail * bsize)
  throw new BackupError(`There is no room in ${dataDir}: ${toMegabytes(bytes)} MB are needed, ${free} MB are free.`)
}

export interface Restore {
  /** An archive that was inspected. */
  file: string
  manifest: Manifest
  dataDir: string
  now: Date
  /** Asked when the directory is ours and before anything in it changes; it throws to end it. */
  confirm(): Promise<void>
}

/**
 * Puts the database of a backup in the place of the one in a data directory. The old one is kept beside it. Killed at any step,
 * either the old or the new one is there at the next start.
 * @returns where the old database is now; null when there was none.
 * @throws DataDirectoryInUseError when a process has the directory; BackupError when the backup is no good. Nothing has
 * changed then.
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
