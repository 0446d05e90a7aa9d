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
import { type Static, type TObject, Type } from 'typebox'
import { DataDirectoryError } from '../../database/embedded/data-directory-error.ts'
import type { Complain } from '../../runtime/config-error.ts'
import { createSecrets, type Secrets } from './secrets.ts'

/** Environment variable of the key that seals secrets: part of the schema in `config.ts`, which alone reads it. */
export const secretsVariables = {
  SECRETS_KEY: Type.Optional(
    Type.String({
      'x-kind': 'secret',
      description:
        'the key that seals the addresses and tokens of channels and trackers: base64 of 32 random bytes (`openssl rand -base64 32`); with the embedded database it is made in `DATA_DIR/secrets-key`, with `DATABASE_URL` it is required once there is a channel or a tracker. Several with commas between them: the first seals, all open',
    }),
  ),
}

export interface SecretsConfig {
  /** 32 bytes each; the first one seals. Undefined: created in the data directory, if any. */
  secretsKeys: readonly Buffer[] | undefined
}

const rule =
  'must be the base64 of 32 bytes, as `openssl rand -base64 32` prints; several with commas between them, the new one first.'

/** Parses a key. @returns null unless it is 32 bytes in base64 */
function parseSecretsKey(text: string): Buffer | null {
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
  return bytes?.length === 32 ? bytes : null
}

/** Reads the variable. @param complain called if it is invalid, without its value */
export function readSecretsConfig(
  { SECRETS_KEY: text }: Static<TObject<typeof secretsVariables>>,
  complain: Complain<Static<TObject<typeof secretsVariables>>>,
): SecretsConfig {
  if (text === undefined) return { secretsKeys: undefined }
  return { secretsKeys: text.split(',').map((one) => parseSecretsKey(one.trim()) ?? complain('SECRETS_KEY', rule)) }
}

/**
 * Reads a file only if this user owns it, as another owner could choose the secret; sets mode 0600.
 * @throws DataDirectoryError for a link, another user's file, or no plain file
 */
export function readOwnFile(location: string): string {
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

interface SecretsKeyConfig {
  secretsKeys: readonly Buffer[] | undefined
  databaseUrl: string | undefined
  dataDir: string
}

const fileIn = (dataDir: string) => join(dataDir, 'secrets-key')

const exists = (location: string) =>
  existsSync(location) || lstatSync(location, { throwIfNoEntry: false }) !== undefined

/** The data directory's key, created if missing. The caller holds the directory's lock. */
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
 * Configured keys come first; an embedded database adds `DATA_DIR/secrets-key`, so what it sealed still opens.
 * @throws DataDirectoryError if another user owns the file, or it has no key: never overwritten
 */
export function loadSecrets({ secretsKeys, databaseUrl, dataDir }: SecretsKeyConfig): Secrets {
  if (databaseUrl !== undefined) return createSecrets(secretsKeys ?? [])
  if (secretsKeys === undefined) return createSecrets([readKeyFile(dataDir)])
  return createSecrets(exists(fileIn(dataDir)) ? [...secretsKeys, readKeyFile(dataDir)] : secretsKeys)
}
