import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataDirectoryError, explainFileError } from './data-directory-error.ts'
import { closeContents, secureDataDirectory } from './permissions.ts'

/** Another living process owns the data directory. */
export class DataDirectoryInUseError extends DataDirectoryError {
  override readonly name = 'DataDirectoryInUseError'
  constructor(dataDir: string) {
    super(
      `Another Wishwell process is using the data directory ${dataDir}. ` +
        'Stop it first, or start this one with another DATA_DIR.',
    )
  }
}

export interface DataDirectoryLock {
  release(): void
}

/**
 * Takes the exclusive lock of a data directory, which is made when it is missing and closed to all other users first.
 * The lock is a file lock held by an open SQLite transaction: the operating system releases it with the process, also after
 * SIGKILL and across containers that share a volume, where a pid file would be wrong.
 * @throws DataDirectoryInUseError when another process holds it; DataDirectoryError when the directory cannot be used, or
 * other users could read or write in it.
 */
export function lockDataDirectory(dataDir: string): DataDirectoryLock {
  secureDataDirectory(dataDir)
  let lock: DatabaseSync | null = null
  try {
    lock = new DatabaseSync(join(dataDir, 'lock.db'))
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
    closeContents(dataDir)
  } catch (error) {
    lock?.close()
    // SQLITE_BUSY (5) and its extended codes: another process holds the transaction.
    const code = (error as { errcode?: number }).errcode
    if (code !== undefined && (code & 0xff) === 5) throw new DataDirectoryInUseError(dataDir)
    throw explainFileError(error, dataDir)
  }
  const held = lock
  return { release: () => held.close() }
}
