import { Type } from 'typebox'
import type { RouteDependencies } from '../accounts/authentication.ts'
import { requestStatuses } from '../database/column-types.ts'
import type { App } from '../http/app-type.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { pageOf, pageParameters, sortByParameter } from '../http/pagination.ts'
import { closed, nullable, oneOf, reading } from '../http/schemas.ts'
import { parseQueryFilters, queryFilters } from '../requests/filters/filters.ts'
import { requestRecord } from '../requests/record.ts'
import { dayOf } from '../requests/timeline.ts'
import { viewOf } from '../requests/view.ts'
import type { CoalescedReads } from '../runtime/request-coalescing.ts'
import { readWish } from './detail.ts'
import { wishOrders } from './list/filters.ts'
import { listWishes } from './list/list.ts'
import type { PossiblySame } from './list/possibly-same.ts'
import { platformVotes, productCounts, wishProperties } from './list/summary.ts'
import { markFilterOf, withMarks } from './marks/marks.ts'
import { markedWish, markFilters, markProperty } from './marks/routes.ts'

const security = [{ apiKey: [] }]
const tags = ['Wishes']

interface WishDependencies extends Omit<RouteDependencies, 'idempotent'> {
  cachedRead: CoalescedReads
  possiblySame: PossiblySame
}

/** Registers the routes for wishes. */
export function registerWishRoutes(app: App, dependencies: WishDependencies): void {
  registerList(app, dependencies)
  registerDetail(app, dependencies)
}

// A wish's numbers are those of likely requests, so there is nothing to include.
const { include: _include, ...wishFilters } = queryFilters

const listDescription = `Sets of requests that ask for the same; a request that no other one is like is a wish by itself. The numbers are those of the
whole wish, as your account sees it, whatever the filters leave: \`topic\` and \`tag\` need one request with all of them, \`platforms\` a
request on one of them; \`minVotes\` and \`status\` are of the wish; \`since\` and \`until\` compare when it was last and first asked for.

\`growing\` has the wishes that gained votes in the last 7 days. With filters a page may hold fewer wishes than \`limit\`, even none, and yet
have more after it: \`hasMore\` says so.`

function registerList(app: App, { database, clock, authentication, cachedRead }: WishDependencies): void {
  app.get('/api/v1/wishes', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listWishes',
      summary: 'List the wishes of the cached requests',
      description: listDescription,
      tags,
      security,
      querystring: closed({
        ...wishFilters,
        ...markFilters,
        sortBy: sortByParameter(wishOrders, {
          default: 'votes',
          description: 'Most voted, most requested, fastest growing, or last first asked for',
        }),
        ...pageParameters,
      }),
      response: reading(pageOf(markedWish)),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const { sortBy, limit, cursor, mark, starred, ...query } = request.query
      const { view: _view, ...filters } = parseQueryFilters(query, account)
      const now = clock.now()
      const list = { ...filters, sortBy, limit, cursor, view: viewOf(account) }
      const marks = markFilterOf(account.accountId, { mark, starred })
      const readPage = () => listWishes(database, { ...list, now, marks })
      // Growth changes daily. Marks are not among the changes that invalidate cached answers.
      const page = marks ? await readPage() : await cachedRead(`wishes ${dayOf(now)} ${JSON.stringify(list)}`, readPage)
      return { data: { ...page, results: await withMarks(database, account.accountId, page.results) } }
    },
  })
}

const similarity = Type.Number({ minimum: 0, maximum: 1, description: 'How alike its most similar request is' })

const wishDetail = closed({
  ...wishProperties,
  ...markProperty,
  statuses: Type.Array(closed({ status: nullable(oneOf(requestStatuses)), requests: Type.Integer() }), {
    description: 'Of its requests; the most frequent first',
  }),
  votesByPlatform: Type.Array(platformVotes, { description: 'The most voted first' }),
  products: productCounts,
  largestShare: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The share of its most voted request of all votes; null where nothing has votes',
    }),
  ),
  isMergedByModel: Type.Boolean({
    description: 'A model took some of its requests for the same, and the operator did not undo it',
  }),
  topics: Type.Array(closed({ topic: Type.String(), requests: Type.Integer() }), {
    description: 'The topics that found its requests, the most frequent first, at most 20',
  }),
  timeline: Type.Array(
    closed({
      from: Type.String({ format: 'date', description: 'The first UTC day of a week, a month or a year' }),
      requests: Type.Integer(),
    }),
    { description: 'When they were posted: weeks up to half a year, months up to ten years, else years; no gaps' },
  ),
  members: pageOf(requestRecord),
  possiblySame: Type.Array(closed({ ...wishProperties, ...markProperty, similarity }), {
    description: 'Wishes that may be the same, at most 5; no number counts them',
  }),
})

function registerDetail(app: App, { database, clock, authentication, possiblySame }: WishDependencies): void {
  app.get('/api/v1/wishes/:wishId', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readWish',
      summary: 'Read one wish with its requests',
      description:
        '`limit` and `cursor` page its requests, the most voted first. A wish that has no likely request any more is a 404.',
      tags,
      security,
      params: closed({ wishId: Type.String() }),
      querystring: closed(pageParameters),
      response: reading(wishDetail, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const { limit, cursor } = request.query
      const wishId = request.params.wishId.toLowerCase()
      const view = viewOf(account)
      const wish = isId(wishId)
        ? await readWish(database, { wishId, limit, cursor, view, now: clock.now(), possiblySame })
        : null
      if (wish === null) throw notFound('Wish')
      const [own] = await withMarks(database, account.accountId, [wish])
      return {
        data: { ...own!, possiblySame: await withMarks(database, account.accountId, wish.possiblySame) },
      }
    },
  })
}
