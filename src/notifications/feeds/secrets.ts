import { createHash, randomBytes } from 'node:crypto'

export const formats = ['atom', 'json'] as const

export type FeedFormat = (typeof formats)[number]

/** 256 random bits. */
export const makeSecret = (): string => randomBytes(32).toString('base64url')

/** What is stored of a secret. It is random, so a plain hash is enough. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const hintOf = (secret: string): string => secret.slice(0, 4)

/** The address of a feed. */
export const feedUrl = (publicUrl: string, secret: string, format: FeedFormat): string =>
  `${publicUrl}/feeds/${secret}.${format}`

const fileName = /^([\w-]{43})\.(atom|json)$/

/** The secret and the format of the last part of an address; null for any other text. */
export function parseFile(file: string): { secret: string; format: FeedFormat } | null {
  const [, secret, format] = fileName.exec(file) ?? []
  return secret === undefined || format === undefined ? null : { secret, format: format as FeedFormat }
}

/** Who names the ids of entries (RFC 4151): the host of PUBLIC_URL, without what a name cannot have. */
export function authorityOf(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.toLowerCase()
  return /^[a-z0-9.-]+$/.test(host) ? host : 'localhost'
}
