import { createHash } from 'node:crypto'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import { recordIfWritable } from '../../database/writes.ts'
import type { App } from '../../http/app-type.ts'
import { hasTag, parseSince } from '../../http/conditional.ts'
import { notFound } from '../../http/errors.ts'
import { createSecretGuard } from '../../http/rate-limits/secret-guard.ts'
import type { Clock } from '../../runtime/clock.ts'
import { setOwner } from '../../runtime/work-owner.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { Visits } from '../../watches/watch.ts'
import { readContent } from './content.ts'
import { feedUrl, findFeed, noteRead, parseFile } from './feeds.ts'
import { contentTypes, renderFeed } from './render.ts'

/** Reads per minute: readers poll a few times an hour, and one service's address reads for many people. */
export const feedLimits = { ofFeed: 20, ofAddress: 120 }

const tagOf = (body: string): string => `"${createHash('sha256').update(body).digest('base64url')}"`

interface Validators {
  etag: string
  /** In whole seconds. */
  changedAt: Date
  now: Date
}

interface Conditions {
  ifNoneMatch: string | undefined
  ifModifiedSince: string | undefined
}

/** The `Last-Modified` moment; null while it is in the future, where it is invalid (RFC 9110, 8.8.2.1). */
const lastModifiedOf = ({ changedAt, now }: Validators): string | null =>
  changedAt > now ? null : changedAt.toUTCString()

/** Whether the reader has the current content (RFC 9110, 13.2.2). A tag outranks a date. */
function isKnown({ ifNoneMatch, ifModifiedSince }: Conditions, validators: Validators): boolean {
  if (ifNoneMatch !== undefined) return hasTag(ifNoneMatch, validators.etag)
  if (ifModifiedSince === undefined || lastModifiedOf(validators) === null) return false
  const since = parseSince(ifModifiedSince)
  return since !== null && since >= validators.changedAt.getTime()
}

export interface FeedReadDependencies {
  database: Database
  clock: Clock
  authentication: Pick<Authentication, 'refuse'>
  searchIndex: SearchIndex
  publicUrl: () => string
  visits: Pick<Visits, 'record'>
}

/** For every answer: the address is a secret, and the content belongs to an account. */
const feedHeaders = {
  // Forbids shared caches, and makes readers revalidate each time.
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Registers `/feeds/{secret}.atom` and `.json` for feed readers, authorized by the secret alone. */
export function registerFeedReading(app: App, dependencies: FeedReadDependencies): void {
  const { database, clock, authentication, searchIndex, publicUrl, visits } = dependencies
  const guard = createSecretGuard(clock, { ofOne: feedLimits.ofFeed, ofAddress: feedLimits.ofAddress, what: 'feed' })
  app.get<{ Params: { file: string } }>('/feeds/:file', { schema: { hide: true } }, async (request, reply) => {
    // Read first: a connection closed during the lookup has no address anymore.
    const { ip: address, headers } = request
    reply.headers(feedHeaders)
    const named = parseFile(request.params.file)
    const feed = named === null ? undefined : await findFeed(database, named.secret, clock.now())
    if (named === null || feed === undefined) return authentication.refuse(address, reply, notFound('Feed'))
    setOwner(feed.account_id)
    await guard(feed.id, address, reply)
    const content = await readContent(feed, { database, searchIndex, publicUrl: publicUrl() })
    if (content === null) throw notFound('Feed')
    const now = clock.now()
    const contentHash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
    const noted = await recordIfWritable(noteRead(database, feed, contentHash, now))
    const changedAt = noted ?? feed.content_changed_at ?? now
    if (feed.watch_id !== null) visits.record([feed.watch_id])
    const { secret, format } = named
    const body = renderFeed(content, format, feedUrl(publicUrl(), secret, format))
    const validators = { etag: tagOf(body), changedAt, now }
    const lastModified = lastModifiedOf(validators)
    reply.header('etag', validators.etag)
    if (lastModified !== null) reply.header('last-modified', lastModified)
    const conditions = { ifNoneMatch: headers['if-none-match'], ifModifiedSince: headers['if-modified-since'] }
    if (isKnown(conditions, validators)) return reply.code(304).send()
    return reply.header('content-type', contentTypes[format]).send(body)
  })
}
