import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import type { Account } from '../../http/callers.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { pageParameters } from '../../http/pagination.ts'
import { closed, errorResponses } from '../../http/schemas.ts'
import { queryFilters } from '../filters/filters.ts'
import { fullTextParameter, type RequestRecord, readRequests, requestRecord } from '../record.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { viewOf } from '../views/view.ts'
import { findSimilar, together } from './similar.ts'

const security = [{ apiKey: [] }]
const tags = ['Requests']
const params = closed({ id: Type.String({ description: 'The `_id` of a request' }) })

/** The sums of a group of similar requests. */
export const wishProperties = {
  votes: Type.Integer({ description: 'The sum of their votes' }),
  requests: Type.Integer({ description: 'How many requests' }),
  platforms: Type.Array(Type.String(), { description: 'Where they were posted' }),
}

export interface SimilarDependencies {
  database: Database
  searchIndex: SearchIndex
  authentication: Authentication
}

const common = { tags, security, params }

/** A request of any class that the account may see. @throws ServiceError NOT_FOUND */
async function readOne(database: Database, account: Account, id: string): Promise<RequestRecord> {
  const [request] = isId(id) ? await readRequests(database, [id], { fullText: true, view: viewOf(account, 'all') }) : []
  if (!request) throw notFound('Request')
  return request
}

/** One request, and those that are similar to it. */
export function registerSimilarRoutes(app: App, dependencies: SimilarDependencies): void {
  registerRequest(app, dependencies)
  registerSimilar(app, dependencies)
}

function registerRequest(app: App, { database, authentication }: SimilarDependencies): void {
  app.get(
    '/api/v1/requests/:id',
    {
      onRequest: authentication.requireAccount,
      schema: {
        ...common,
        operationId: 'readRequest',
        summary: 'Read a cached request',
        description: 'Of any class; an unlisted one only where a job of your account named its source.',
        response: {
          200: closed({ data: requestRecord }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    },
    async (request) => ({ data: await readOne(database, authentication.accountOf(request), request.params.id) }),
  )
}

function registerSimilar(app: App, { database, searchIndex, authentication }: SimilarDependencies): void {
  app.get(
    '/api/v1/requests/:id/similar',
    {
      onRequest: authentication.requireAccount,
      schema: {
        ...common,
        operationId: 'listSimilarRequests',
        summary: 'List the cached requests that are similar to a request',
        description:
          'Among the best matches of its title on every platform, those with similar enough words, the most similar first. ' +
          '`votes`, `requests` and `platforms` count the request itself and all similar ones, also those beyond `limit`.',
        querystring: closed({
          limit: pageParameters.limit,
          include: queryFilters.include,
          fullText: fullTextParameter,
        }),
        response: {
          200: closed({
            data: closed({
              results: Type.Array(
                closed({
                  ...requestRecord.properties,
                  similarity: Type.Number({ minimum: 0, maximum: 1, description: '1 for the same words' }),
                }),
              ),
              ...wishProperties,
            }),
          }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const account = authentication.accountOf(request)
      const own = await readOne(database, account, request.params.id)
      const { limit, fullText, include } = request.query
      const similar = await findSimilar(database, searchIndex, own, { fullText, view: viewOf(account, include) })
      return { data: { results: similar.slice(0, limit), ...together([own, ...similar]) } }
    },
  )
}
