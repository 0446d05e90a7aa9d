import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError } from '../config.ts'

export interface AdminKey {
  key: string
  /** Where the operator finds it: a file, or the variable that they set themselves. */
  location: string
}

type AdminKeyConfig = Pick<Config, 'adminApiKey' | 'databaseUrl' | 'dataDir'>
const fileIn = (dataDir: string) => join(dataDir, 'admin-key')

/** The admin key that an earlier start made; null when there is none, or it may not be read. */
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

/**
 * The key that opens the admin routes: the operator's own, else the one in `DATA_DIR/admin-key`, made when missing. The caller
 * holds the lock of the data directory, if there is one.
 * @throws ConfigError as `requireAdminKey` does; an Error when the file is there but holds no usable key: nothing secret is ever overwritten silently.
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
  chmodSync(location, 0o600)
  const key = readFileSync(location, 'utf8').trim()
  if (key.length < 16) throw new Error(`${location} holds no admin key. Delete the file to have a new one made.`)
  return { key, location }
}
