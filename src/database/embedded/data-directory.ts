import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// What lies in a data directory, besides the lock and the admin key, and how one database takes the place of another.

/** The database itself. */
export const databaseIn = (dataDir: string): string => join(dataDir, 'database')

/** A database that was proved good and waits for its place. */
const restoredIn = (dataDir: string) => join(dataDir, 'database.restored')

/** Whether a name in a data directory is one that Wishwell gives, and not an operator's own. */
export const isOurs = (name: string): boolean =>
  /^(?:admin-key|lock\.db.*|database(?:\..+)?)$/.test(name) || name.startsWith(workPrefix)

/** Long and hidden, so that nothing of an operator's own is ever taken for one and deleted. */
const workPrefix = '.wishwell-work-'

/** Makes a directory for work of a moment, 0700; what a crash leaves of it is deleted at the next start. */
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
 * Puts a database in the place of the one that is there, by renaming only. Wherever that is cut off, `tidyDataDirectory`
 * finds either the old one in its place or the new one beside an empty place.
 * @param proven a database directory on the same file system.
 * @returns where the old one is now; null when there was none.
 */
export function installDatabase(dataDir: string, proven: string, now: Date, rename = renameSync): string | null {
  const [place, waiting] = [databaseIn(dataDir), restoredIn(dataDir)]
  const previous = `${place}.before-restore-${now.toISOString().replaceAll(':', '-')}`
  const isReplaced = existsSync(place)
  rename(proven, waiting)
  if (isReplaced) rename(place, previous)
  rename(waiting, place)
  return isReplaced ? previous : null
}

/**
 * Ends what a crash cut off: a database that waits for its place gets it if the place is empty and is dropped if not, and
 * work directories are deleted. The caller holds the directory's lock.
 */
export function tidyDataDirectory(dataDir: string): void {
  const [place, waiting] = [databaseIn(dataDir), restoredIn(dataDir)]
  if (existsSync(waiting)) {
    if (existsSync(place)) rmSync(waiting, { recursive: true })
    else renameSync(waiting, place)
  }
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(workPrefix)) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}
