import { createHash } from 'node:crypto'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import { noteIfWritable } from '../../database/writes.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { NoteLook } from '../../watches/news/routes.ts'
import { isKnown, lastModifiedOf, tagOf } from './conditional.ts'
import { readContent } from './content.ts'
import { findFeed, noteRead } from './feeds.ts'
import { createFeedGuard } from './guard.ts'
import { contentTypes, renderFeed } from './render.ts'
import { feedUrl, parseFile } from './secrets.ts'

export interface FeedReadDependencies {
  database: Database
  clock: Clock
  authentication: Pick<Authentication, 'refuse'>
  searchIndex: SearchIndex
  publicUrl: () => string
  noteLook: NoteLook
}

/** Of every answer: the address is a secret, and what is behind it belongs to an account. */
const feedHeaders = {
  // A shared cache must not store it, and a reader asks each time whether it changed.
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** `/feeds/{secret}.atom` and `.json`, for feed readers: without a key, by the secret alone. */
export function registerFeedReading(app: App, dependencies: FeedReadDependencies): void {
  const { database, clock, authentication, searchIndex, publicUrl, noteLook } = dependencies
  const guard = createFeedGuard(clock)
  app.get<{ Params: { file: string } }>('/feeds/:file', { schema: { hide: true } }, async (request, reply) => {
    // Read before the lookup: a connection that is closed meanwhile has no address any more.
    const { ip: address, headers } = request
    reply.headers(feedHeaders)
    const named = parseFile(request.params.file)
    const feed = named === null ? undefined : await findFeed(database, named.secret)
    if (named === null || feed === undefined) return authentication.refuse(address, reply, notFound('Feed'))
    await guard(feed.id, address, reply)
    const content = await readContent(feed, { database, searchIndex, publicUrl: publicUrl() })
    if (content === null) throw notFound('Feed')
    const now = clock.now()
    const contentHash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
    const noted = await noteIfWritable(noteRead(database, feed, contentHash, now))
    const changedAt = noted ?? feed.content_changed_at ?? now
    if (feed.watch_id !== null) await noteIfWritable(noteLook(database, [feed.watch_id], now))
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
