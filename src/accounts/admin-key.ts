import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirectoryError } from '../database/embedded/data-directory-error.ts'
import { readOwnFile } from '../http/secrets/secrets-key.ts'
import { ConfigError } from '../runtime/config-error.ts'

export interface AdminKey {
  key: string
  /** Where the operator finds it: a file or variable. */
  location: string
}

interface AdminKeyConfig {
  adminApiKey: string | undefined
  databaseUrl: string | undefined
  dataDir: string
}

const fileIn = (dataDir: string) => join(dataDir, 'admin-key')

/** An earlier start's admin key; null if missing or unreadable. */
export function readAdminKey(dataDir: string): string | null {
  try {
    return readFileSync(fileIn(dataDir), 'utf8').trim()
  } catch {
    return null
  }
}

/** @throws ConfigError with DATABASE_URL and no key */
export function requireAdminKey({ adminApiKey, databaseUrl }: AdminKeyConfig): void {
  if (adminApiKey === undefined && databaseUrl !== undefined) {
    throw new ConfigError('ADMIN_API_KEY: is required with DATABASE_URL, so that all processes share one.')
  }
}

/**
 * The operator's key, else `DATA_DIR/admin-key`, created if missing; the caller holds its lock.
 * @throws ConfigError as `requireAdminKey`; DataDirectoryError if the file is another user's or unusable: never
 *   overwritten
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
