import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DataDirectoryError } from '../database/embedded/data-directory-error.ts'
import { ConfigError } from '../runtime/config-error.ts'

export interface AdminKey {
  key: string
  /** Where the operator finds it: a file, or the variable that sets it. */
  location: string
}

/** The part of the configuration that concerns the admin key. */
export interface AdminKeyConfig {
  adminApiKey: string | undefined
  databaseUrl: string | undefined
  dataDir: string
}

const fileIn = (dataDir: string) => join(dataDir, 'admin-key')

/** The admin key of an earlier start; null when there is none, or it cannot be read. */
export function readAdminKey(dataDir: string): string | null {
  try {
    return readFileSync(fileIn(dataDir), 'utf8').trim()
  } catch {
    return null
  }
}

/** @throws ConfigError with DATABASE_URL and no key given. */
export function requireAdminKey({ adminApiKey, databaseUrl }: AdminKeyConfig): void {
  if (adminApiKey === undefined && databaseUrl !== undefined) {
    throw new ConfigError('ADMIN_API_KEY: is required with DATABASE_URL, so that all processes share one.')
  }
}

/** Reads a file only if this user owns it: another user who could replace it would choose the key. */
function readOwnFile(location: string): string {
  const foreign = () =>
    new DataDirectoryError(
      `${location} is not a plain file of the user that Wishwell runs as. See who put it there, and delete it.`,
    )
  if (lstatSync(location).isSymbolicLink()) throw foreign()
  const file = openSync(location, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    const isOwn = process.geteuid === undefined || stats.uid === process.geteuid()
    if (!stats.isFile() || !isOwn) throw foreign()
    fchmodSync(file, 0o600)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/**
 * The key that opens the admin routes: the operator's own, else the one in `DATA_DIR/admin-key`, made when missing. The caller
 * holds the lock of the data directory, if there is one.
 * @throws ConfigError as `requireAdminKey` does; DataDirectoryError when the file belongs to another user or holds no usable
 * key: a secret is never overwritten silently.
 */
export function loadAdminKey(config: AdminKeyConfig): AdminKey {
  requireAdminKey(config)
  const { adminApiKey, dataDir } = config
  if (adminApiKey !== undefined) return { key: adminApiKey, location: 'ADMIN_API_KEY' }
  const location = fileIn(dataDir)
  if (!existsSync(location)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(location, `ww_admin_${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  }
  const key = readOwnFile(location).trim()
  if (key.length < 16) {
    throw new DataDirectoryError(`${location} holds no admin key. Delete the file to have a new one made.`)
  }
  return { key, location }
}
