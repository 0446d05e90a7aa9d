import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirectoryError } from '../../database/embedded/data-directory-error.ts'
import { readOwnFile } from './own-file.ts'
import { createSecrets, type Secrets } from './secrets.ts'
import { parseSecretsKey } from './settings.ts'

export interface SecretsKeyConfig {
  secretsKeys: readonly Buffer[] | undefined
  databaseUrl: string | undefined
  dataDir: string
}

const fileIn = (dataDir: string) => join(dataDir, 'secrets-key')

const exists = (location: string) =>
  existsSync(location) || lstatSync(location, { throwIfNoEntry: false }) !== undefined

/** The key of the data directory, made when missing. The caller holds the lock of the directory. */
function readKeyFile(dataDir: string): Buffer {
  const location = fileIn(dataDir)
  if (!exists(location)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(location, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  }
  const key = parseSecretsKey(readOwnFile(location).trim())
  if (key === null) {
    throw new DataDirectoryError(
      `${location} holds no key. Put the right one back; without it the channels must be made again. To begin anew, delete the file.`,
    )
  }
  return key
}

/**
 * What seals secrets in this process: with the keys of the configuration, and with the one in `DATA_DIR/secrets-key` where the database is embedded.
 * A configured key goes first; what the file's key sealed before still opens.
 * @throws DataDirectoryError when the file belongs to another user or holds no key: a secret is never overwritten silently.
 */
export function loadSecrets({ secretsKeys, databaseUrl, dataDir }: SecretsKeyConfig): Secrets {
  if (databaseUrl !== undefined) return createSecrets(secretsKeys ?? [])
  if (secretsKeys === undefined) return createSecrets([readKeyFile(dataDir)])
  return createSecrets(exists(fileIn(dataDir)) ? [...secretsKeys, readKeyFile(dataDir)] : secretsKeys)
}
