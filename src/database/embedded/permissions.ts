import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isOurs } from './data-directory.ts'
import { DataDirectoryError, explainFileError } from './data-directory-error.ts'

// What protects a data directory from the other users of the machine. PGlite makes files that everybody may write, whatever
// the umask, so nothing rests on how a file was made.

/** What any user but the owner may do. */
const forOthers = 0o077
const writableByOthers = 0o022

/** Null where users have no numbers (Windows): access lists rule there, and modes say nothing. */
const ownUser = () => process.geteuid?.() ?? null

/** The person who reads it decides: what belongs to somebody else is neither taken over nor locked. */
function requireOwner(path: string, { uid }: Pick<Stats, 'uid'>): void {
  const own = ownUser()
  if (own === null || uid === own) return
  throw new DataDirectoryError(
    `${path} belongs to another user (uid ${uid}; this process runs as uid ${own}), who could read or change what is stored. ` +
      `Run Wishwell as that user, change the owner (chown -R ${own}), or set DATA_DIR to another directory.`,
  )
}

/** Takes from all others what they may do with a file or directory that is ours. */
function close(path: string, { mode, uid }: Stats): void {
  requireOwner(path, { uid })
  // The special bits (set-user-id and the like) have no business here either.
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
  // Directories first: who cannot come in cannot change what is looked at next.
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
  // A directory with other things in it may be anything, /tmp or a home directory: closing it would lock others out of their own.
  if (foreign === undefined) close(dataDir, stats)
  else if ((stats.mode & writableByOthers) !== 0) {
    throw new DataDirectoryError(
      `${dataDir} can be written by other users and holds more than the data of Wishwell (${JSON.stringify(foreign)}). ` +
        'Set DATA_DIR to a directory of its own; it is made when it is missing.',
    )
  }
}

/** Not `recursive`: where nothing can be made, Node then tries for ever (/proc), or names another reason (a disk that is read-only). */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  const above = dirname(path)
  if (!existsSync(above)) makeDirectory(above)
  mkdirSync(path, { mode: 0o700 })
}

/**
 * Makes a data directory, and makes sure that nobody else can put anything into it: it is 0700, or, where it holds other things
 * too, no other user can write in it. Nothing that is in it is changed.
 * @throws DataDirectoryError when that cannot be had, in words for the operator.
 */
export function secureDataDirectory(dataDir: string): void {
  try {
    makeDirectory(resolve(dataDir))
    if (ownUser() === null) return
    closeDataDirectory(dataDir)
    for (const name of readdirSync(dataDir).filter(isOurs)) {
      // What goes meanwhile belongs to a process that has the directory.
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
export function closeContents(dataDir: string): void {
  try {
    for (const name of readdirSync(dataDir).filter(isOurs)) closeToOthers(join(dataDir, name))
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}
