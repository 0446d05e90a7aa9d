import { createHash } from 'node:crypto'

/** The tag of a body: another one for each other byte. */
export const tagOf = (body: string): string => `"${createHash('sha256').update(body).digest('base64url')}"`

export interface Validators {
  etag: string
  /** In whole seconds. */
  changedAt: Date
  now: Date
}

export interface Conditions {
  ifNoneMatch: string | undefined
  ifModifiedSince: string | undefined
}

/** The moment that `Last-Modified` says; null as long as it lies in the future, where it says nothing (RFC 9110, 8.8.2.1). */
export const lastModifiedOf = ({ changedAt, now }: Validators): string | null =>
  changedAt > now ? null : changedAt.toUTCString()

/**
 * Whether a reader has what is there already (RFC 9110, 13.2.2). A tag counts before a date, and is compared weakly: proxies that compress make
 * weak ones.
 */
export function isKnown({ ifNoneMatch, ifModifiedSince }: Conditions, validators: Validators): boolean {
  if (ifNoneMatch !== undefined) {
    const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.includes('*') || tags.includes(validators.etag)
  }
  if (ifModifiedSince === undefined || lastModifiedOf(validators) === null) return false
  const since = Date.parse(ifModifiedSince)
  return !Number.isNaN(since) && since >= validators.changedAt.getTime()
}
