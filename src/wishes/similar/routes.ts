import { sql } from 'kysely'
import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database, Executor } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import type { Account } from '../../http/callers.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { pageParameters } from '../../http/pagination.ts'
import { closed, nullable, reading } from '../../http/schemas.ts'
import { queryFilters } from '../../requests/filters/filters.ts'
import {
  fullTextParameter,
  ownAsks,
  type RequestRecord,
  readRequests,
  requestRecord,
  type TextChoice,
  wishOfRequest,
} from '../../requests/record.ts'
import { requestColumns, standingIn, type View, viewOf } from '../../requests/view.ts'
import { allMembers } from '../../requests/wish-numbers/membership.ts'
import { numbersAlone, readWishNumbers } from '../../requests/wish-numbers/numbers.ts'
import type { PossiblySame } from '../list/possibly-same.ts'

interface WishMember {
  id: string
  /** Similarity to the core of its wish, 0 to 1; 1 for the core and for requests that people put there. */
  similarity: number
}

/** The members that a view shows, likely (counted) ones first, then most alike and most voted. */
async function readMembers(
  executor: Executor,
  wishId: string,
  { view, except, limit }: { view: View; except: string; limit: number },
): Promise<WishMember[]> {
  const { rows } = await sql<WishMember>`
    select requests.id, coalesce(member.similarity, 1)::float8 as similarity
    from (${allMembers(view.account, sql`${wishId}::uuid`)}) as placed join requests on requests.id = placed.request_id
      left join wish_members as member on member.request_id = requests.id
      cross join lateral (select ${standingIn(view, requestColumns)} as standing offset 0) as seen
    where requests.id <> ${except}::uuid and seen.standing >= ${sql.lit(view.least)}
    order by seen.standing desc, similarity desc, requests.votes desc, requests.id
    limit ${limit}`.execute(executor)
  return rows
}

interface SimilarInput extends TextChoice {
  view: View
  limit: number
  possiblySame: PossiblySame
}

async function findSimilar(
  executor: Executor,
  { _id: requestId, wish }: RequestRecord,
  { fullText, view, limit, possiblySame }: SimilarInput,
) {
  const members = wish === null ? [] : await readMembers(executor, wish.wishId, { view, except: requestId, limit })
  const similarities = new Map(members.map(({ id, similarity }) => [id, { similarity, sameWish: true }]))
  if (members.length < limit) {
    const others = await possiblySame(executor, { wishId: wish?.wishId ?? requestId, requestId, view })
    for (const { requestId: id, similarity } of others) {
      if (id !== requestId && !similarities.has(id)) similarities.set(id, { similarity, sameWish: false })
    }
  }
  const records = await readRequests(executor, [...similarities.keys()].slice(0, limit), { fullText, view })
  return records.map((record) => ({ ...record, ...similarities.get(record._id)! }))
}

/** Sums over the likely members of a request's wish; over the request alone if it has no wish. */
async function readSums(executor: Executor, { wish, votes, sourcePlatform }: RequestRecord, view: View) {
  const numbers = wish === null ? undefined : (await readWishNumbers(executor, [wish.wishId], view)).get(wish.wishId)
  const { requestCount: requests, ...sums } = numbers ?? numbersAlone(sourcePlatform, votes)
  return {
    votes: sums.votes,
    requests,
    own: sums.own,
    platforms: numbers?.platforms ?? [sourcePlatform as PlatformName],
  }
}

const params = closed({ requestId: Type.String({ description: 'The `_id` of a request' }) })

export const similarWishProperties = {
  votes: Type.Integer({ description: 'The sum of the votes of its likely requests' }),
  requests: Type.Integer({ description: 'How many likely requests it has' }),
  own: nullable(ownAsks),
  platforms: Type.Array(Type.String(), { description: 'Where they were posted' }),
}

interface SimilarDependencies extends Pick<RouteDependencies, 'database' | 'authentication'> {
  possiblySame: PossiblySame
}

const common = { tags: ['Requests'], security: [{ apiKey: [] }], params }

/** A request of any class the account may see. @throws ServiceError NOT_FOUND */
async function readOne(database: Database, account: Account, id: string): Promise<RequestRecord> {
  const [request] = isId(id) ? await readRequests(database, [id], { fullText: true, view: viewOf(account, 'all') }) : []
  if (!request) throw notFound('Request')
  return request
}

/** Registers the route for a request and similar ones. */
export function registerSimilarRoutes(app: App, dependencies: SimilarDependencies): void {
  registerRequest(app, dependencies)
  registerSimilar(app, dependencies)
}

function registerRequest(app: App, { database, authentication }: SimilarDependencies): void {
  app.get('/api/v1/requests/:requestId', {
    onRequest: authentication.requireAccount,
    schema: {
      ...common,
      operationId: 'readRequest',
      summary: 'Read a cached request',
      description: 'Of any class; an unlisted one only where a job of your account named its source.',
      response: reading(requestRecord, 'NOT_FOUND', 'SEARCH_UNAVAILABLE'),
    },
    handler: async (request) => ({
      data: await readOne(database, authentication.accountOf(request), request.params.requestId),
    }),
  })
}

function registerSimilar(app: App, { database, possiblySame, authentication }: SimilarDependencies): void {
  app.get('/api/v1/requests/:requestId/similar', {
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
      response: reading(
        closed({
          results: Type.Array(
            closed({
              ...requestRecord.properties,
              similarity: Type.Number({
                minimum: 0,
                maximum: 1,
                description: 'How alike it is to the core of the wish: 1 for the core, and for what a person put there',
              }),
              sameWish: Type.Boolean({ description: 'A member of the wish; else only possibly the same' }),
            }),
          ),
          ...similarWishProperties,
          wish: nullable(wishOfRequest),
        }),
        'NOT_FOUND',
        'SEARCH_UNAVAILABLE',
      ),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const own = await readOne(database, account, request.params.requestId)
      const { limit, fullText, include } = request.query
      const view = viewOf(account, include)
      const results = await findSimilar(database, own, { fullText, view, limit, possiblySame })
      return { data: { results, ...(await readSums(database, own, view)), wish: own.wish } }
    },
  })
}
