import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { requestStatuses } from '../../database/column-types.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { pageOf, pageParameters, sortByParameter } from '../../http/pagination.ts'
import { closed, nullable, oneOf, reading, trimmedText } from '../../http/schemas.ts'
import { requestRecord } from '../../requests/record.ts'
import { viewOf } from '../../requests/view.ts'
import { platformVotes, productCounts } from '../list/summary.ts'
import { similarWishProperties } from '../similar/routes.ts'
import { topicOrders } from './orders.ts'
import { readTopicPage } from './topic-page.ts'
import { listTopics, summaryProperties } from './topics.ts'

const shared = { tags: ['Topics'], security: [{ apiKey: [] }] }

/** Registers the routes for topics. */
export function registerTopicRoutes(app: App, dependencies: RouteDependencies): void {
  registerList(app, dependencies)
  registerPage(app, dependencies)
}

function registerList(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.get('/api/v1/topics', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listTopics',
      summary: 'List the topics of the cached requests',
      description:
        'The last collected first, or the most voted, or by name; without those that only expansions of searches have collected. With `query` a page may hold fewer topics than `limit` ' +
        'although more follow: `hasMore` says so.',
      ...shared,
      querystring: closed({
        query: Type.Optional(trimmedText(1, 100, 'Part of the name, in any case')),
        sortBy: sortByParameter(topicOrders, {
          default: 'new',
          description: 'Last collected first, most voted first, or by name',
        }),
        ...pageParameters,
      }),
      response: reading(pageOf(closed(summaryProperties))),
    },
    handler: async (request) => {
      const view = viewOf(authentication.accountOf(request))
      return { data: await listTopics(database, { ...request.query, now: clock.now(), view }) }
    },
  })
}

const topicPage = closed({
  ...summaryProperties,
  platforms: Type.Array(platformVotes),
  breakdown: closed(
    {
      statuses: Type.Array(
        closed({ status: oneOf(requestStatuses), requests: Type.Integer(), votes: Type.Integer() }),
        {
          description: 'The most requests first',
        },
      ),
      statusUnknown: closed(
        { requests: Type.Integer(), votes: Type.Integer() },
        { description: 'Those without a status: with them the statuses add up to `counted`' },
      ),
      products: productCounts,
      largest: nullable(
        closed(
          { requestId: Type.String(), votes: Type.Integer(), share: Type.Number({ minimum: 0, maximum: 1 }) },
          { description: 'The most voted request, and its share of all votes; null where nothing has votes' },
        ),
      ),
      counted: Type.Integer({
        description: 'How many were counted: all, or of a very large topic the most voted ones',
      }),
    },
    { description: 'Of its likely requests' },
  ),
  timeline: Type.Array(
    closed({
      from: Type.String({ format: 'date', description: 'The first UTC day of a week, a month or a year' }),
      requests: Type.Integer(),
    }),
    { description: 'When they were posted: weeks up to half a year, months up to ten years, else years; no gaps' },
  ),
  wishes: Type.Array(
    closed({
      wishId: Type.String({ description: 'Identifier of the wish' }),
      request: requestRecord,
      ...similarWishProperties,
      isTagOnly: Type.Boolean({ description: 'The topic is a tag of it, and stands in neither title nor text' }),
      product: nullable(Type.String({ description: 'That of `request`' })),
      status: nullable(oneOf(requestStatuses, { description: 'What became of the wish; null where it is unknown' })),
    }),
    {
      description:
        'Its 20 most voted wishes, those that it is only a tag of last, of `GET /api/v1/wishes?topic=`, in the numbers of the whole wish: requests that ' +
        'other topics found count too. A topic with more than 5,000 requests may have more of them than are given',
    },
  ),
})

function registerPage(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.get('/api/v1/topics/:topic', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readTopic',
      summary: 'Read one topic',
      description: 'Numbers, platforms and timeline count all of its likely requests.',
      ...shared,
      params: closed({ topic: Type.String({ description: 'In any spelling that means the same' }) }),
      response: reading(topicPage, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { topic } = request.params
      const view = viewOf(authentication.accountOf(request))
      const page = await readTopicPage(database, { topic, now: clock.now(), view })
      if (page === null) throw notFound('Topic')
      return { data: page }
    },
  })
}
