import { createHash, randomInt } from 'node:crypto'

// The format of keys, apart from their rows, so that commands check it without a database.

/** A prefix that makes leaks recognizable, and 32 random characters (165 bits). */
export const apiKeyPattern = /^ww_live_[a-z0-9]{32}$/

const keyAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
const keyLength = 32

/** A new key; only its hash is stored. */
export function generateApiKey(): string {
  const characters = Array.from({ length: keyLength }, () => keyAlphabet[randomInt(keyAlphabet.length)])
  return `ww_live_${characters.join('')}`
}

export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex')
