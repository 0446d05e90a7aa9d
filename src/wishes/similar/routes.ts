import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import type { Account } from '../../http/callers.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { pageParameters } from '../../http/pagination.ts'
import { closed, errorResponses, nullable } from '../../http/schemas.ts'
import { queryFilters } from '../../requests/filters/filters.ts'
import {
  fullTextParameter,
  type RequestRecord,
  readRequests,
  requestRecord,
  wishOfRequest,
} from '../../requests/record.ts'
import { viewOf } from '../../requests/views/view.ts'
import type { PossiblySame } from '../list/possibly-same.ts'
import { findSimilar, readSums } from './similar.ts'

const security = [{ apiKey: [] }]
const tags = ['Requests']
const params = closed({ id: Type.String({ description: 'The `_id` of a request' }) })

/** The sums of a wish. */
export const wishProperties = {
  votes: Type.Integer({ description: 'The sum of the votes of its likely requests' }),
  requests: Type.Integer({ description: 'How many likely requests it has' }),
  platforms: Type.Array(Type.String(), { description: 'Where they were posted' }),
}

export interface SimilarDependencies {
  database: Database
  possiblySame: PossiblySame
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
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND', 'SEARCH_UNAVAILABLE'),
        },
      },
    },
    async (request) => ({ data: await readOne(database, authentication.accountOf(request), request.params.id) }),
  )
}

function registerSimilar(app: App, { database, possiblySame, authentication }: SimilarDependencies): void {
  app.get(
    '/api/v1/requests/:id/similar',
    {
      onRequest: authentication.requireAccount,
      schema: {
        ...common,
        operationId: 'listSimilarRequests',
        summary: 'List the cached requests that are similar to a request',
        description:
          'First the other members of its wish, then up to five that are possibly the same: these are in no number. `votes`, ' +
          '`requests` and `platforms` are those of the whole wish: of all its likely requests, this one and those beyond `limit` ' +
          'included. `wish` is null for a request that is not likely; the numbers are then its own.',
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
                  similarity: Type.Number({
                    minimum: 0,
                    maximum: 1,
                    description:
                      'How alike it is to the core of the wish: 1 for the core, and for what a person put there',
                  }),
                  sameWish: Type.Boolean({ description: 'A member of the wish; else only possibly the same' }),
                }),
              ),
              ...wishProperties,
              wish: nullable(wishOfRequest),
            }),
          }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND', 'SEARCH_UNAVAILABLE'),
        },
      },
    },
    async (request) => {
      const account = authentication.accountOf(request)
      const own = await readOne(database, account, request.params.id)
      const { limit, fullText, include } = request.query
      const view = viewOf(account, include)
      const results = await findSimilar(database, own, { fullText, view, limit, possiblySame })
      return { data: { results, ...(await readSums(database, own, view)), wish: own.wish } }
    },
  )
}
