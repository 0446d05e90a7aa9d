import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// Names in a data directory, and how one database replaces another.

/** The installed database. */
export const databaseIn = (dataDir: string): string => join(dataDir, 'database')

/** A restored database, opened successfully but not installed yet. */
const restoredIn = (dataDir: string) => join(dataDir, 'database.restored')

/** Whether a name in a data directory is Wishwell's; all others belong to the operator. */
export const isOurs = (name: string): boolean =>
  /^(?:admin-key|lock\.db.*|database(?:\..+)?|search-index)$/.test(name) || name.startsWith(workPrefix)

/** Long and hidden, so that no file of the operator is deleted by mistake. */
const workPrefix = '.wishwell-work-'

/** Makes a temporary directory, mode 0700. The next start deletes leftovers of a crash. */
export const makeWorkDirectory = (dataDir: string): string => mkdtempSync(join(dataDir, workPrefix))

/** Whether a data directory has a database, installed or restored but not yet installed. */
export const hasDatabase = (dataDir: string): boolean =>
  existsSync(databaseIn(dataDir)) || existsSync(restoredIn(dataDir))

/** The complete database the next start opens; null if it would create one. */
export function currentDatabaseIn(dataDir: string): string | null {
  const directory = existsSync(databaseIn(dataDir)) ? databaseIn(dataDir) : restoredIn(dataDir)
  // The last file that Postgres writes when creating a database.
  return existsSync(join(directory, 'PG_VERSION')) ? directory : null
}

/**
 * Replaces the installed database by renaming: after a crash, `tidyDataDirectory` finds the old one installed, or none
 * installed and the new one restored.
 * @param proven was opened successfully, on this file system
 * @returns the old one's new place, or null
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

/** After a crash: installs a restored database if none is installed, deletes the rest. The caller holds the lock. */
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
