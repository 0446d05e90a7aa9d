import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

const deriveKey = promisify<string, Buffer, number, Buffer>(scrypt)
const algorithm = 'aes-256-gcm'
const lengths = { salt: 16, nonce: 12, tag: 16, key: 32 }

/** Encrypts the answer of one call. */
export type Seal = (text: string) => string

/**
 * Prepares the encryption of an answer that holds a secret. The database alone does not reveal it: the password is known only to
 * the caller. Slow on purpose (about 50 ms, off the main thread).
 */
export async function createSeal(password: string): Promise<Seal> {
  const salt = randomBytes(lengths.salt)
  const key = await deriveKey(password, salt, lengths.key)
  return (text) => {
    const nonce = randomBytes(lengths.nonce)
    const cipher = createCipheriv(algorithm, key, nonce)
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([salt, nonce, cipher.getAuthTag(), encrypted]).toString('base64')
  }
}

/** @returns null for another password than that of `createSeal`, or a changed text. */
export async function unseal(sealed: string, password: string): Promise<string | null> {
  const bytes = Buffer.from(sealed, 'base64')
  const [salt, nonce, tag] = [
    bytes.subarray(0, lengths.salt),
    bytes.subarray(lengths.salt, lengths.salt + lengths.nonce),
    bytes.subarray(lengths.salt + lengths.nonce, lengths.salt + lengths.nonce + lengths.tag),
  ]
  const decipher = createDecipheriv(algorithm, await deriveKey(password, salt, lengths.key), nonce)
  decipher.setAuthTag(tag)
  try {
    const encrypted = bytes.subarray(lengths.salt + lengths.nonce + lengths.tag)
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
