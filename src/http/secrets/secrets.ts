import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '../errors.ts'

/** Seals and opens secrets with this process's keys. */
export interface Secrets {
  /** Without a key nothing can be sealed or opened. */
  hasKey: boolean
  /** @param belongsTo its owner, e.g. `channel <id>`, needed to open it @throws ServiceError CONFLICT without a key */
  seal(text: string, belongsTo: string): string
  /** @throws UnknownKeyError if sealed with another key; UnreadableSecretError if changed, or of another owner */
  open(sealed: string, belongsTo: string): string
  /** Prefix of texts sealed with the first key; others must be sealed again. Null without a key. */
  currentPrefix: string | null
  /** Prefixes of texts sealed with this process's keys. */
  knownPrefixes: readonly string[]
}

/** The message quotes nothing of the sealed text. */
export class UnreadableSecretError extends Error {
  override readonly name: string = 'UnreadableSecretError'
}

/** Another process, or this one after a restart, may have the key: no proof that the secret is lost. */
export class UnknownKeyError extends UnreadableSecretError {
  override readonly name = 'UnknownKeyError'
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** A hash of 32 random bytes: identifies a key without revealing it. */
const idOf = (key: Buffer) =>
  createHash('sha256').update('wishwell secrets key ').update(key).digest('hex').slice(0, 12)

const prefixOf = (key: Buffer) => `s1.${idOf(key)}.`

const noKey =
  'The operator has not set SECRETS_KEY, which is required with DATABASE_URL to store the addresses of channels and the tokens of trackers.'

/** @param keys 32 bytes each: the first seals, all open */
export function createSecrets(keys: readonly Buffer[]): Secrets {
  const [first] = keys
  const byPrefix = new Map(keys.map((key) => [prefixOf(key), key]))
  return {
    hasKey: first !== undefined,
    currentPrefix: first === undefined ? null : prefixOf(first),
    knownPrefixes: [...byPrefix.keys()],
    seal: (text, belongsTo) => {
      if (first === undefined) throw new ServiceError('CONFLICT', noKey)
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, first, nonce).setAAD(Buffer.from(belongsTo))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${prefixOf(first)}${sealed.toString('base64url')}`
    },
    open: (sealed, belongsTo) => {
      const prefix = sealed.slice(0, sealed.lastIndexOf('.') + 1)
      const key = byPrefix.get(prefix)
      if (key === undefined) throw new UnknownKeyError('It was sealed with a key that this process does not have.')
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
      if (bytes.length < nonceBytes + tagBytes) throw new UnreadableSecretError('The sealed text is incomplete.')
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(belongsTo))
        .setAuthTag(bytes.subarray(-tagBytes))
      try {
        const text = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]
        return Buffer.concat(text).toString('utf8')
      } catch {
        throw new UnreadableSecretError('The sealed text was changed, or belongs to something else.')
      }
    },
  }
}
