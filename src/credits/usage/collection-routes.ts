import { type Static, Type } from 'typebox'
import { requireExisting } from '../../accounts/accounts.ts'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { spendingOperations } from '../../database/column-types.ts'
import type { App } from '../../http/app-type.ts'
import { dateParameter, parseDate } from '../../http/dates.ts'
import { named } from '../../http/openapi-components.ts'
import { pageOf, pageParameters } from '../../http/pagination.ts'
import { closed, errorResponses, moment, nullable, openWord } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { readCollections } from '../collections.ts'
import { periodIn, periodParameters } from './period-query.ts'

const credits = (description: string) => Type.Integer({ description })
const collection = closed(
  {
    collectionId: Type.String({
      description: 'The `jobId` of a job; the id of a call. It is the `cause` of its entries',
    }),
    operation: openWord(spendingOperations, 'A job, a search with `expand`, or a list with `source=realtime`'),
    topic: nullable(Type.String({ description: 'Of the job or the list, or the query of the search' })),
    platforms: Type.Array(Type.String(), { description: 'As its caller named them' }),
    startedBy: closed({
      by: openWord(['key', 'person', 'watch'], 'Who began it: a key, a person who signed in by a link, or a watch'),
      keyId: nullable(Type.String({ description: 'The key that pays: of the call, of its sign-in, or of the watch' })),
      keyName: nullable(Type.String()),
      personName: nullable(Type.String({ description: 'The name that the link, or the access token, has' })),
      watchId: nullable(Type.String()),
      watchName: nullable(Type.String({ description: 'Null once it is deleted' })),
    }),
    startedAt: moment('When it reserved its credits, which decides the period that it counts in'),
    endedAt: nullable(moment('Null while it is under way')),
    reserved: credits('What it held at first: `held` + `settled` + `released`'),
    held: credits('What it still holds: 0 once it has ended'),
    settled: credits('What it was charged'),
    released: credits('What was given back'),
  },
  named('Collection'),
)

const collectionQuery = closed({
  ...periodParameters('Those that began'),
  since: Type.Optional(dateParameter('Those that began then or later, instead of `month` and `week`')),
  until: Type.Optional(dateParameter('Those that began before')),
  ...pageParameters,
})

/** @throws ServiceError INVALID_REQUEST for two periods */
function asked({ since, until, limit, cursor, ...named }: Static<typeof collectionQuery>) {
  const page = { limit, cursor }
  const period = periodIn(named)
  if (period === null) {
    return {
      ...page,
      ...(since === undefined ? {} : { from: parseDate(since) }),
      ...(until === undefined ? {} : { until: parseDate(until) }),
    }
  }
  for (const [field, date] of Object.entries({ since, until })) {
    if (date !== undefined) throw invalidField(field, 'cannot stand beside month or week')
  }
  return { ...page, from: period.from, until: period.until }
}

const schema = {
  description:
    'The latest first, credits of the pool and PAYG together. Those of a period add up to the `total` of `spenders` of the usage of that period. ' +
    'A job of which all platforms were off reserved nothing, and is not here.',
  querystring: collectionQuery,
}
const response = { 200: closed({ data: pageOf(collection) }), ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED') }

/** What an account spent, per job and live call, for itself and the operator. Free. */
export function registerCollectionRoutes(app: App, { database, authentication }: RouteDependencies): void {
  app.get('/api/v1/usage/collections', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listCollections',
      summary: 'Read what each job and live call held, was charged and gave back, and who began it',
      ...schema,
      tags: ['Usage'],
      security: [{ apiKey: [] }],
      response,
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      return { data: await readCollections(database, { accountId, ...asked(request.query) }) }
    },
  })

  app.get('/api/admin/accounts/:accountId/usage/collections', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'listAccountCollections',
      summary: 'Read what each job and live call of an account held, was charged and gave back',
      ...schema,
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      params: closed({ accountId: Type.String() }),
      response: { ...response, ...errorResponses('NOT_FOUND') },
    },
    handler: async ({ params: { accountId }, query }) => {
      await requireExisting(database, accountId)
      return { data: await readCollections(database, { accountId, ...asked(query) }) }
    },
  })
}
