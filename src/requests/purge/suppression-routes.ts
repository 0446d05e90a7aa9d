import { type Static, Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { pageOf, pageOfShort, pageParameters } from '../../http/pagination.ts'
import { closed, moment, reading, sending, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { type Identity, identitiesOfAuthor, identitiesOfUrl } from '../identity.ts'
import {
  liftSuppression,
  listSuppressions,
  purgeId,
  requireComparable,
  requireOne,
  selectionFields,
} from '../store/suppression.ts'

const security = [{ adminKey: [] }]
const tags = ['Admin']
const lastMoment = 8.64e15
const lastFirst = ({ createdAt, purgeId: id }: { createdAt: Date; purgeId: string }) =>
  `${String(lastMoment - createdAt.getTime()).padStart(16, '0')} ${id}`

const liftBody = closed({
  purgeId: Type.Optional(purgeId),
  ...selectionFields,
  id: Type.Optional(trimmedText(1, 500, 'The id of the request on its platform; needs `platform`')),
})
export type SuppressionDependencies = Pick<RouteDependencies, 'database' | 'authentication'>

/** Parses the body of a lift. @throws ServiceError INVALID_REQUEST */
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

/** Registers the operator's routes that list and lift suppressions. */
export function registerSuppressionRoutes(app: App, dependencies: SuppressionDependencies): void {
  registerListSuppressions(app, dependencies)
  registerLift(app, dependencies)
}

function registerListSuppressions(app: App, { database, authentication }: SuppressionDependencies): void {
  const onRequest = authentication.requireAdmin
  app.get('/api/admin/suppressions', {
    onRequest,
    schema: {
      operationId: 'listSuppressions',
      summary: 'How much is suppressed, and by which purges, the last one first',
      description: 'Only hashes are stored: what they stand for cannot be read from them.',
      tags,
      security,
      querystring: closed(pageParameters),
      response: reading(
        closed({
          entries: Type.Integer({ description: 'How many hashes are stored' }),
          ...pageOf(
            closed({
              purgeId,
              kinds: Type.Array(Type.String(), { description: 'What was named; empty for a platform or an age' }),
              entries: Type.Integer(),
              createdAt: moment('When it was purged'),
            }),
          ).properties,
        }),
      ),
    },
    handler: async ({ query }) => {
      const { entries, purges } = await listSuppressions(database)
      const { results, ...page } = pageOfShort(purges, query, { list: 'suppressions', positionOf: lastFirst })
      const shown = results.map((purge) => ({ ...purge, createdAt: purge.createdAt.toISOString() }))
      return { data: { entries, results: shown, ...page } }
    },
  })
}

function registerLift(app: App, { database, authentication }: SuppressionDependencies): void {
  const onRequest = authentication.requireAdmin
  app.post('/api/admin/suppressions/lift', {
    onRequest,
    schema: {
      operationId: 'liftSuppression',
      summary: 'Lift a suppression, so that a later collection may store it again',
      description:
        'By what was named when it was purged, or by the purge: everything of that purge is lifted, also the ids of what ' +
        'it deleted. Exactly one of `purgeId`, `id`, `url`, `author`.',
      tags,
      security,
      body: liftBody,
      response: sending(closed({ lifted: Type.Integer({ description: 'How many hashes are gone' }) }), 'NOT_FOUND'),
    },
    handler: async ({ body }) => {
      requireOne(body, ['purgeId', 'id', 'url', 'author'], true)
      requireComparable(body)
      const lifted = await liftSuppression(database, toLifted(body))
      if (lifted === 0) throw notFound('Suppression')
      return { data: { lifted } }
    },
  })
}
