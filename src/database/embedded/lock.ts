import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another living process owns the data directory. */
export class DataDirectoryInUseError extends Error {
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
 * Takes the exclusive lock of a data directory, creating the directory (0700) when it is missing.
 * The lock is a file lock held by an open SQLite transaction: the operating system drops it with the process, also after
 * SIGKILL and across containers that share a volume, where a pid file would lie.
 * @throws DataDirectoryInUseError when another process holds it.
 */
export function lockDataDirectory(dataDir: string): DataDirectoryLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(dataDir, 'lock.db'))
  try {
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    // SQLITE_BUSY (5) and its extended codes: somebody else holds the transaction.
    const code = (error as { errcode?: number }).errcode
    if (code !== undefined && (code & 0xff) === 5) throw new DataDirectoryInUseError(dataDir)
    throw error
  }
  return { release: () => lock.close() }
}
