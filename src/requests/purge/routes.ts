import { type Static, Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { isId } from '../../http/ids.ts'
import { closed, defaulted, nullable, sending, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { purgeId, requireComparable, requireOne, selectionFields } from '../store/suppression.ts'
import { type PurgeResult, purgeRequests } from './purge.ts'

const purgeBody = closed(
  {
    ...selectionFields,
    olderThanDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 36_500, description: 'Not refreshed for so many days' }),
    ),
    id: Type.Optional(trimmedText(1, 500, 'The `_id` of a request, or with `platform` the id that it has there')),
    suppress: Type.Optional(
      Type.Boolean({ description: 'Never store it again; by default true with `id`, `url` or `author`, else false' }),
    ),
    dryRun: defaulted(Type.Boolean({ default: false, description: 'Only say what would be deleted' })),
  },
  {
    minProperties: 1,
    description: 'A request must fit every field; at most one of `olderThanDays`, `id`, `url`, `author`',
  },
)
const purged = closed({
  purgeId: nullable(purgeId),
  dryRun: Type.Boolean(),
  matched: Type.Integer({ description: 'How many requests fit' }),
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
    { description: 'The first 5 that fit' },
  ),
})

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

export type PurgeDependencies = Omit<RouteDependencies, 'idempotent'>

/** Registers the operator's route that deletes requests. */
export function registerPurgeRoutes(app: App, { database, clock, authentication }: PurgeDependencies): void {
  app.post('/api/admin/purge', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'purgeRequests',
      summary: 'Delete requests from the cache, from search, lists, topics and the results of jobs',
      description:
        'What is deleted by id, url or author is suppressed: no later collection stores it again. Credits and counts of ' +
        'jobs stay. Safe to call again: the rest is deleted then.',
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      body: purgeBody,
      response: sending(purged),
    },
    handler: async ({ body }) => {
      checkPurge(body)
      const { suppress, dryRun, ...selection } = body
      const isNamed = body.id !== undefined || body.url !== undefined || body.author !== undefined
      const input = { ...selection, suppress: suppress ?? isNamed, dryRun, now: clock.now() }
      return { data: toAnswer(await purgeRequests(database, input), dryRun) }
    },
  })
}
