import { type Static, Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { bodyErrors, closed, errorResponses, moment, nullable, oneOf, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { platformNames } from '../../platforms/registry.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Identity, identitiesOfAuthor, identitiesOfUrl } from '../store/identity.ts'
import { type PurgeResult, purgeRequests } from './purge.ts'
import { liftSuppression, listSuppressions } from './suppression.ts'

const security = [{ adminKey: [] }]
const tags = ['Admin']
const maxListedPurges = 100

// Every platform, on or not: what was collected of one that is off is still here.
const platform = Type.Optional(oneOf(platformNames, { description: 'Only what is from there' }))
const url = Type.Optional(
  trimmedText(
    1,
    2_000,
    'Where it was asked; scheme, `www.`, closing slash, fragment and order of parameters do not count',
  ),
)
const author = Type.Optional(
  trimmedText(1, 500, 'A handle (`@ada` or `ada`), a whole name, in any case, or the address of a profile'),
)
const purgeId = Type.String({ description: 'What the suppression is lifted by' })

const purgeBody = closed(
  {
    platform,
    olderThanDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 36_500, description: 'Not refreshed for so many days' }),
    ),
    id: Type.Optional(trimmedText(1, 500, 'The `_id` of a request, or with `platform` the id that it has there')),
    url,
    author,
    suppress: Type.Optional(
      Type.Boolean({ description: 'Never store it again; by default true with `id`, `url` or `author`, else false' }),
    ),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Only look what would be deleted' })),
  },
  {
    minProperties: 1,
    description: 'All that is named must fit; at most one of `olderThanDays`, `id`, `url`, `author`',
  },
)
const liftBody = closed({
  purgeId: Type.Optional(purgeId),
  platform,
  id: Type.Optional(trimmedText(1, 500, 'The id that the platform knows it by; needs `platform`')),
  url,
  author,
})
const purged = closed({
  purgeId: nullable(purgeId),
  dryRun: Type.Boolean(),
  matched: Type.Integer({ description: 'How many requests fitted' }),
  matchedByPlatform: Type.Record(Type.String(), Type.Integer()),
  deleted: Type.Integer(),
  samples: Type.Array(
    closed({
      _id: Type.String(),
      title: Type.String(),
      sourcePlatform: Type.String(),
      sourceUrl: Type.String(),
      authorName: nullable(Type.String()),
      authorHandle: nullable(Type.String()),
    }),
    { description: 'The first few that fitted' },
  ),
})

/** Refuses what no schema says: none of the fields, more than one of those that exclude each other, a half-known one. */
function requireOne(body: Record<string, unknown>, exclusive: readonly string[], needOne: boolean): void {
  const [first, second] = exclusive.filter((field) => body[field] !== undefined)
  if (second !== undefined) throw invalidField(second, `cannot be combined with ${first}`)
  if (needOne && first === undefined) throw invalidField('', `name one of ${exclusive.join(', ')}`)
}

function requireComparable({ url, author }: { url?: string; author?: string }): void {
  if (url !== undefined && identitiesOfUrl(url).length === 0) {
    throw invalidField('url', 'must be a web address, https://…')
  }
  if (author !== undefined && identitiesOfAuthor(author).length === 0) {
    throw invalidField('author', 'must be a handle, a name or the address of a profile')
  }
}

function checkPurge(body: Static<typeof purgeBody>): void {
  requireOne(body, ['olderThanDays', 'id', 'url', 'author'], body.platform === undefined)
  requireComparable(body)
  if (body.id !== undefined && body.platform === undefined && !isId(body.id)) {
    throw invalidField('platform', "is required with a platform's own id")
  }
}

const toAnswer = ({ matched, samples, ...result }: PurgeResult, dryRun: boolean) => ({
  ...result,
  dryRun,
  matched: [...matched.values()].reduce((sum, amount) => sum + amount, 0),
  matchedByPlatform: Object.fromEntries([...matched].sort()),
  samples: samples.map(({ id, title, platform: sourcePlatform, sourceUrl, authorName, authorHandle }) => {
    return { _id: id, title, sourcePlatform, sourceUrl, authorName, authorHandle }
  }),
})

export interface PurgeDependencies {
  database: Database
  clock: Clock
  authentication: Authentication
}

/** The operator's routes to delete requests, and to see and lift what may not come back. */
export function registerPurgeRoutes(app: App, dependencies: PurgeDependencies): void {
  const { database, clock, authentication } = dependencies
  app.post(
    '/api/admin/purge',
    {
      onRequest: authentication.requireAdmin,
      schema: {
        summary: 'Delete requests from the cache, from search, lists, topics and the results of jobs',
        description:
          'What is deleted by id, url or author is suppressed: no later collection stores it again. Credits and counts of ' +
          'jobs stay. Safe to call again: the rest is deleted then.',
        tags,
        security,
        body: purgeBody,
        response: {
          200: closed({ data: purged }),
          ...errorResponses(...bodyErrors),
        },
      },
    },
    async ({ body }) => {
      checkPurge(body)
      const { suppress, dryRun = false, ...selection } = body
      const isNamed = body.id !== undefined || body.url !== undefined || body.author !== undefined
      const input = { ...selection, suppress: suppress ?? isNamed, dryRun, now: clock.now() }
      return { data: toAnswer(await purgeRequests(database, input), dryRun) }
    },
  )
  registerSuppressionRoutes(app, dependencies)
}

/** What the body of a lift names. @throws ServiceError INVALID_REQUEST */
function toLifted({ purgeId, platform, id, url, author }: Static<typeof liftBody>) {
  if (purgeId !== undefined) {
    if (!isId(purgeId)) throw notFound('Suppression')
    return { purgeId }
  }
  if (id !== undefined && platform === undefined) throw invalidField('platform', 'is required with id')
  const ids: Identity[] = id === undefined ? [] : [{ kind: 'id', value: id }]
  const urls = url === undefined ? [] : identitiesOfUrl(url)
  const authors = author === undefined ? [] : identitiesOfAuthor(author)
  return { identities: [...ids, ...urls, ...authors], platform }
}

function registerSuppressionRoutes(app: App, dependencies: PurgeDependencies): void {
  registerListSuppressions(app, dependencies)
  registerLift(app, dependencies)
}

function registerListSuppressions(app: App, dependencies: PurgeDependencies): void {
  const { database, authentication } = dependencies
  const onRequest = authentication.requireAdmin
  app.get(
    '/api/admin/suppressions',
    {
      onRequest,
      schema: {
        summary: 'How much is suppressed, and by which purges, the latest 100 first',
        description: 'Only hashes are kept, so nobody can tell from them what they stand for.',
        tags,
        security,
        response: {
          200: closed({
            data: closed({
              entries: Type.Integer({ description: 'How many hashes are kept' }),
              purges: Type.Array(
                closed({
                  purgeId,
                  kinds: Type.Array(Type.String(), { description: 'What was named; empty for a platform or an age' }),
                  entries: Type.Integer(),
                  createdAt: moment('When it was purged'),
                }),
              ),
            }),
          }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    },
    async () => {
      const { entries, purges } = await listSuppressions(database, maxListedPurges)
      return {
        data: { entries, purges: purges.map((purge) => ({ ...purge, createdAt: purge.createdAt.toISOString() })) },
      }
    },
  )
}

function registerLift(app: App, dependencies: PurgeDependencies): void {
  const { database, authentication } = dependencies
  const onRequest = authentication.requireAdmin
  app.post(
    '/api/admin/suppressions/lift',
    {
      onRequest,
      schema: {
        summary: 'Lift a suppression, so that a later collection may store it again',
        description:
          'By what was named when it was purged, or by the purge: everything of that purge is lifted, also the ids of what ' +
          'it deleted. Exactly one of `purgeId`, `id`, `url`, `author`.',
        tags,
        security,
        body: liftBody,
        response: {
          200: closed({ data: closed({ lifted: Type.Integer({ description: 'How many hashes are gone' }) }) }),
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async ({ body }) => {
      requireOne(body, ['purgeId', 'id', 'url', 'author'], true)
      requireComparable(body)
      const lifted = await liftSuppression(database, toLifted(body))
      if (lifted === 0) throw notFound('Suppression')
      return { data: { lifted } }
    },
  )
}
