import { type Static, Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { describeMaker, madeByFields } from '../../accounts/made-by-key.ts'
import { deleteOwned, listOwned } from '../../accounts/owned.ts'
import type { Transaction } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import type { Account } from '../../http/callers.ts'
import { notFound } from '../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { isId } from '../../http/ids.ts'
import { pageOf, pageOfShort, pageParameters } from '../../http/pagination.ts'
import { changing, closed, moment, nullable, oneOf, reading, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { bodyFilters, parseBodyFilters } from '../../requests/filters/filters.ts'
import { parseQuery } from '../../search/query.ts'
import { readWatchOfNews } from '../../watches/news/watch.ts'
import { createFeed, type Feed, type FeedKind, feedKinds, feedUrl, maxFeeds } from './feeds.ts'

const newFeed = closed({
  kind: oneOf(feedKinds, {
    description: 'The requests of a topic, the news of a watch, or the results of a search, the newest first',
  }),
  name: Type.Optional(trimmedText(1, 100, 'Its title; without it the topic, the name of the watch or the query')),
  topic: Type.Optional(trimmedText(2, 100, 'With `topic`, which need not be collected yet')),
  watchId: Type.Optional(Type.String({ maxLength: 100, description: 'With `watch`' })),
  query: Type.Optional(trimmedText(1, 500, 'With `search`')),
  filters: Type.Optional(bodyFilters),
})

const feedProperties = {
  feedId: Type.String(),
  kind: oneOf(feedKinds),
  name: Type.String(),
  topic: nullable(Type.String()),
  watchId: nullable(Type.String()),
  query: nullable(Type.String()),
  filters: nullable(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'As they were given',
    }),
  ),
  hint: Type.String({ description: 'The first characters of the secret in its address' }),
  createdAt: moment('When it was made'),
  ...madeByFields,
  lastReadAt: nullable(moment('When it was last read, to within ten minutes; null when never')),
}

const madeFeed = closed({
  ...feedProperties,
  url: Type.String({ description: 'The address as Atom, shown this once: who has it can read the feed' }),
  jsonUrl: Type.String({ description: 'The same as JSON Feed' }),
})

const feedPath = closed({ feedId: Type.String() })

const shared = { tags: ['Feeds'], security: [{ apiKey: [] }] }

export interface FeedRouteDependencies extends RouteDependencies {
  publicUrl: () => string
}

/** Registers an account's routes for feeds. */
export function registerFeedRoutes(app: App, dependencies: FeedRouteDependencies): void {
  registerList(app, dependencies)
  registerCreate(app, dependencies)
  registerRevoke(app, dependencies)
}

type Body = Static<typeof newFeed>

const fieldOf: Record<FeedKind, 'topic' | 'watchId' | 'query'> = { topic: 'topic', watch: 'watchId', search: 'query' }

/** @throws ServiceError INVALID_REQUEST for fields of another kind, or a view that can never be read. */
function checkBody(body: Body, account: Account): string {
  const own = fieldOf[body.kind]
  for (const field of Object.values(fieldOf)) {
    if (field !== own && body[field] !== undefined) throw invalidField(field, `is not for kind=${body.kind}`)
  }
  const value = body[own]
  if (value === undefined) throw invalidField(own, `is required with kind=${body.kind}`)
  if (body.filters !== undefined) {
    if (body.kind === 'watch') throw invalidField('filters', 'are those of the watch')
    if (body.kind === 'topic' && body.filters.topic !== undefined)
      throw invalidField('filters.topic', 'is that of the feed')
    parseBodyFilters(body.filters, account)
  }
  if (body.kind === 'search') parseQuery(value)
  return value
}

async function nameOf(
  transaction: Transaction,
  { kind, name }: Body,
  value: string,
  accountId: string,
): Promise<string> {
  if (kind !== 'watch') return name ?? [...value].slice(0, 100).join('')
  const watch = isId(value) ? await readWatchOfNews(transaction, value) : null
  if (watch?.accountId !== accountId) throw notFound('Watch')
  return name ?? watch.name
}

function registerCreate(app: App, { clock, authentication, idempotent, publicUrl }: FeedRouteDependencies): void {
  app.post('/api/v1/feeds', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'createFeed',
      summary: 'Make an Atom and JSON feed of a topic, a watch or a search',
      description: `Free, to make and to read. Who has the address can read it without a key, until it is revoked, or the key that made it expires. It shows what the account sees. An account has at most ${maxFeeds} feeds; one more is a 409.`,
      ...shared,
      headers: idempotencyHeaders,
      body: newFeed,
      response: changing(madeFeed, 'NOT_FOUND', ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const account = authentication.accountOf(request)
      const { body } = request
      const value = checkBody(body, account)
      const { accountId, keyId } = account
      const { kind, filters } = body
      const make = async (transaction: Transaction) => {
        const name = await nameOf(transaction, body, value, accountId)
        const { feedId, secret } = await createFeed(transaction, {
          accountId,
          keyId,
          kind,
          name,
          topic: kind === 'topic' ? value : null,
          watchId: kind === 'watch' ? value : null,
          query: kind === 'search' ? value : null,
          filters: filters ?? null,
          publicUrl: publicUrl(),
          now: clock.now(),
        })
        const url = feedUrl(publicUrl(), secret, 'atom')
        const made = (await listOwned(transaction, 'feeds', accountId)).find(({ id }) => id === feedId)
        return { data: { ...describeFeed(made!), url, jsonUrl: feedUrl(publicUrl(), secret, 'json') } }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  })
}

const describeFeed = (feed: Feed) => ({
  feedId: feed.id,
  kind: feed.kind,
  name: feed.name,
  topic: feed.topic,
  watchId: feed.watch_id,
  query: feed.query,
  filters: feed.filters,
  hint: feed.hint,
  createdAt: feed.created_at.toISOString(),
  ...describeMaker(feed),
  lastReadAt: feed.last_read_at?.toISOString() ?? null,
})

function registerList(app: App, { database, authentication }: FeedRouteDependencies): void {
  app.get('/api/v1/feeds', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'listFeeds',
      summary: "List the account's feeds",
      description: 'All of them, the oldest first. Their addresses cannot be read again.',
      ...shared,
      querystring: closed(pageParameters),
      response: reading(pageOf(closed(feedProperties)), 'SCOPE_EXCEEDED'),
    },
    handler: async (request) => {
      const feeds = (await listOwned(database, 'feeds', authentication.accountOf(request).accountId)).map(describeFeed)
      const positionOf = ({ createdAt, feedId }: (typeof feeds)[number]) => `${createdAt} ${feedId}`
      return { data: pageOfShort(feeds, request.query, { list: 'feeds', positionOf }) }
    },
  })
}

function registerRevoke(app: App, { database, authentication }: FeedRouteDependencies): void {
  app.delete('/api/v1/feeds/:feedId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'revokeFeed',
      summary: 'Revoke a feed, at once and for ever',
      ...shared,
      params: feedPath,
      response: changing(closed({ feedId: Type.String() }), 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { feedId } = request.params
      await deleteOwned(database, 'feeds', { accountId, id: feedId })
      return { data: { feedId: feedId.toLowerCase() } }
    },
  })
}
