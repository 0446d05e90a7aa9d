import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// The names in a data directory, and how one database replaces another.

/** The database itself. */
export const databaseIn = (dataDir: string): string => join(dataDir, 'database')

/** A restored database that was opened successfully and is not installed yet. */
const restoredIn = (dataDir: string) => join(dataDir, 'database.restored')

/** Whether a name in a data directory is one that Wishwell gives. All others belong to the operator. */
export const isOurs = (name: string): boolean =>
  /^(?:admin-key|lock\.db.*|database(?:\..+)?|search-index)$/.test(name) || name.startsWith(workPrefix)

/** Long and hidden, so that no file of the operator is taken for one and deleted. */
const workPrefix = '.wishwell-work-'

/** Makes a temporary directory, mode 0700; the next start deletes what a crash leaves of it. */
export const makeWorkDirectory = (dataDir: string): string => mkdtempSync(join(dataDir, workPrefix))

/** Whether a data directory has a database, installed or restored and not installed yet. */
export const hasDatabase = (dataDir: string): boolean =>
  existsSync(databaseIn(dataDir)) || existsSync(restoredIn(dataDir))

/** The directory of the complete database that the next opening uses; null when it would make a new one. */
export function currentDatabaseIn(dataDir: string): string | null {
  const directory = existsSync(databaseIn(dataDir)) ? databaseIn(dataDir) : restoredIn(dataDir)
  // The file that Postgres writes last when it makes a database.
  return existsSync(join(directory, 'PG_VERSION')) ? directory : null
}

/**
 * Replaces the installed database, by renaming only. After a crash at any step, `tidyDataDirectory` finds either the old one
 * installed, or none installed and the new one restored.
 * @param proven a database directory on the same file system that was opened successfully.
 * @returns where the old one is now; null when there was none.
 */
export function installDatabase(dataDir: string, proven: string, now: Date, rename = renameSync): string | null {
  const [installed, restored] = [databaseIn(dataDir), restoredIn(dataDir)]
  const previous = `${installed}.before-restore-${now.toISOString().replaceAll(':', '-')}`
  const isReplaced = existsSync(installed)
  rename(proven, restored)
  if (isReplaced) rename(installed, previous)
  rename(restored, installed)
  return isReplaced ? previous : null
}

/**
 * Finishes what a crash interrupted: a restored database is installed if none is installed, and deleted otherwise; work directories
 * are deleted. The caller holds the directory's lock.
 */
export function tidyDataDirectory(dataDir: string): void {
  const [installed, restored] = [databaseIn(dataDir), restoredIn(dataDir)]
  if (existsSync(restored)) {
    if (existsSync(installed)) rmSync(restored, { recursive: true })
    else renameSync(restored, installed)
  }
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(workPrefix)) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}
