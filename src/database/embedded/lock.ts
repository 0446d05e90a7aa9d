import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isOurs } from './data-directory.ts'
import { DataDirectoryError, explainFileError } from './data-directory-error.ts'

// Protects a data directory from the other users of the machine. PGlite makes files that every user may write, whatever the
// umask, so the modes are set afterwards.

/** The permissions of every user but the owner. */
const forOthers = 0o077
const writableByOthers = 0o022

/** Null where users have no numbers (Windows): access lists rule there, and modes say nothing. */
const ownUser = () => process.geteuid?.() ?? null

/** The operator decides: a file of another user is neither taken over nor closed. */
function requireOwner(path: string, { uid }: Pick<Stats, 'uid'>): void {
  const own = ownUser()
  if (own === null || uid === own) return
  throw new DataDirectoryError(
    `${path} belongs to another user (uid ${uid}; this process runs as uid ${own}), who could read or change what is stored. ` +
      `Run Wishwell as that user, change the owner (chown -R ${own}), or set DATA_DIR to another directory.`,
  )
}

/** Removes the permissions of all other users from a file or directory of ours. */
function close(path: string, { mode, uid }: Stats): void {
  requireOwner(path, { uid })
  // Special bits (set-user-id and the like) are removed, too.
  if ((mode & 0o7000) === 0 && (mode & forOthers) === 0) return
  chmodSync(path, mode & 0o700)
  if ((statSync(path).mode & forOthers) === 0) return
  throw new DataDirectoryError(
    `${path} can be read by other users, and its file system does not let that be changed. Set DATA_DIR to a directory on another one.`,
  )
}

/**
 * Makes a file, or a directory with all that is in it, readable and writable for its owner only.
 * @throws DataDirectoryError when something there belongs to another user.
 */
export function closeToOthers(path: string): void {
  if (ownUser() === null) return
  const link = lstatSync(path)
  requireOwner(path, link)
  const root = link.isSymbolicLink() ? statSync(path) : link
  close(path, root)
  if (!root.isDirectory()) return
  // Directories first: a user who cannot enter one cannot change what is checked next.
  for (const { name, parentPath } of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const inner = join(parentPath, name)
    const stats = lstatSync(inner)
    requireOwner(inner, stats)
    if (!stats.isSymbolicLink()) close(inner, stats)
  }
}

function closeDataDirectory(dataDir: string): void {
  const stats = statSync(dataDir)
  requireOwner(dataDir, stats)
  if ((stats.mode & forOthers) === 0) return
  const foreign = readdirSync(dataDir).find((name) => !isOurs(name))
  // A directory with other files in it may be /tmp or a home directory: closing it would lock other users out of theirs.
  if (foreign === undefined) close(dataDir, stats)
  else if ((stats.mode & writableByOthers) !== 0) {
    throw new DataDirectoryError(
      `${dataDir} can be written by other users and holds more than the data of Wishwell (${JSON.stringify(foreign)}). ` +
        'Set DATA_DIR to a directory of its own; it is made when it is missing.',
    )
  }
}

/** Not `recursive`: Node would retry for ever where nothing can be made (/proc), or report a wrong reason (a read-only disk). */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  const above = dirname(path)
  if (!existsSync(above)) makeDirectory(above)
  mkdirSync(path, { mode: 0o700 })
}

/**
 * Makes a data directory and closes it to writes of other users: its mode is 0700, or, where it also holds other files, no other
 * user may write in it. Nothing in it is changed.
 * @throws DataDirectoryError when that is impossible, with a message for the operator.
 */
function secureDataDirectory(dataDir: string): void {
  try {
    makeDirectory(resolve(dataDir))
    if (ownUser() === null) return
    closeDataDirectory(dataDir)
    for (const name of readdirSync(dataDir).filter(isOurs)) {
      // A file that disappears meanwhile belongs to the process that uses the directory.
      const stats = lstatSync(join(dataDir, name), { throwIfNoEntry: false })
      if (stats) requireOwner(join(dataDir, name), stats)
    }
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

/**
 * Makes everything of Wishwell's in a data directory readable and writable for its owner only. The caller holds its lock.
 * @throws DataDirectoryError when something belongs to another user.
 */
function closeContents(dataDir: string): void {
  try {
    for (const name of readdirSync(dataDir).filter(isOurs)) closeToOthers(join(dataDir, name))
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

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
