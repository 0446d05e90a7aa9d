import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isOurs } from './data-directory.ts'
import { DataDirectoryError, explainFileError } from './data-directory-error.ts'

// Closes a data directory to other users. PGlite ignores the umask, so modes are set afterwards.

/** All permissions except the owner's. */
const forOthers = 0o077
const writableByOthers = 0o022

/** Null without numeric users (Windows), where access lists rule and modes mean nothing. */
const ownUser = () => process.geteuid?.() ?? null

/** The operator decides about other users' files: they are neither taken over nor closed. */
function requireOwner(path: string, { uid }: Pick<Stats, 'uid'>): void {
  const own = ownUser()
  if (own === null || uid === own) return
  throw new DataDirectoryError(
    `${path} belongs to another user (uid ${uid}; this process runs as uid ${own}), who could read or change what is stored. ` +
      `Run Wishwell as that user, change the owner (chown -R ${own}), or set DATA_DIR to another directory.`,
  )
}

/** Removes other users' permissions from our file or directory. */
function close(path: string, { mode, uid }: Stats): void {
  requireOwner(path, { uid })
  // Also removes special bits (set-user-id etc.).
  if ((mode & 0o7000) === 0 && (mode & forOthers) === 0) return
  chmodSync(path, mode & 0o700)
  if ((statSync(path).mode & forOthers) === 0) return
  throw new DataDirectoryError(
    `${path} can be read by other users, and its file system does not let that be changed. Set DATA_DIR to a directory on another one.`,
  )
}

/** Makes a file or directory tree private to its owner. @throws DataDirectoryError if another user owns part of it */
export function closeToOthers(path: string): void {
  if (ownUser() === null) return
  const link = lstatSync(path)
  requireOwner(path, link)
  const root = link.isSymbolicLink() ? statSync(path) : link
  close(path, root)
  if (!root.isDirectory()) return
  // Directories first: users who cannot enter one cannot change what is checked next.
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
  // With other files in it, the directory may be /tmp or a home directory: closing it would lock users out.
  if (foreign === undefined) close(dataDir, stats)
  else if ((stats.mode & writableByOthers) !== 0) {
    throw new DataDirectoryError(
      `${dataDir} can be written by other users and holds more than the data of Wishwell (${JSON.stringify(foreign)}). ` +
        'Set DATA_DIR to a directory of its own; it is made when it is missing.',
    )
  }
}

/** Not `recursive`: Node would retry forever in /proc, or report a wrong reason on a read-only disk. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  const above = dirname(path)
  if (!existsSync(above)) makeDirectory(above)
  mkdirSync(path, { mode: 0o700 })
}

/** Mode 0700, or no writes by others if it also holds other files. @throws DataDirectoryError if impossible */
function secureDataDirectory(dataDir: string): void {
  try {
    makeDirectory(resolve(dataDir))
    if (ownUser() === null) return
    closeDataDirectory(dataDir)
    for (const name of readdirSync(dataDir).filter(isOurs)) {
      // A file that disappears meanwhile belongs to the process using the directory.
      const stats = lstatSync(join(dataDir, name), { throwIfNoEntry: false })
      if (stats) requireOwner(join(dataDir, name), stats)
    }
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

/** Makes Wishwell's files private; the caller holds the lock. @throws DataDirectoryError if another user owns some */
function closeContents(dataDir: string): void {
  try {
    for (const name of readdirSync(dataDir).filter(isOurs)) closeToOthers(join(dataDir, name))
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

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
 * Locks a data directory, creating and closing it first. An open SQLite transaction holds the lock, so the OS releases
 * it after SIGKILL and across containers, where a pid file would be wrong.
 * @throws DataDirectoryInUseError if another process has it; DataDirectoryError if it is unusable, or open to other
 *   users
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
    // SQLITE_BUSY (5) and extended codes: another process holds the transaction.
    const code = (error as { errcode?: number }).errcode
    if (code !== undefined && (code & 0xff) === 5) throw new DataDirectoryInUseError(dataDir)
    throw explainFileError(error, dataDir)
  }
  const held = lock
  return { release: () => held.close() }
}
