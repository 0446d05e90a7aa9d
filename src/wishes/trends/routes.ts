import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { isId } from '../../http/ids.ts'
import { closed, defaulted, nullable, reading } from '../../http/schemas.ts'
import { viewOf } from '../../requests/view.ts'
import { wishProperties } from '../list/summary.ts'
import { withMarks } from '../marks/marks.ts'
import { markProperty } from '../marks/routes.ts'
import { daysOfTrend, readTrends } from './trends.ts'

const { wishId, growth, voices } = wishProperties

const trends = closed({
  days: Type.Array(Type.String({ format: 'date' }), {
    description: 'UTC days: today and every seventh day before it, the oldest first',
  }),
  wishes: Type.Array(
    closed({
      wishId,
      votes: Type.Array(Type.Integer(), {
        description:
          'At the end of each of `days`. A request counts from the day on which it was posted, with the first votes that are known of it until they changed',
      }),
      measuredSince: nullable(
        Type.String({ format: 'date', description: 'The day of the first sample; null while no change was seen' }),
      ),
      growth,
      voices,
      ...markProperty,
    }),
    { description: 'A wish that does not exist for the account is left out' },
  ),
})

/** Registers the votes of wishes over time, shown beside lists and searches. */
export function registerTrendRoutes(
  app: App,
  { database, clock, authentication }: Omit<RouteDependencies, 'idempotent'>,
): void {
  app.get('/api/v1/trends/wishes', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readWishTrends',
      summary: 'Read how the votes of some wishes changed, with the marks of the account',
      description: 'For the wishes of a list or a search that has neither growth, voices nor marks.',
      tags: ['Wishes'],
      security: [{ apiKey: [] }],
      querystring: closed({
        wishId: Type.Optional(
          Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, description: 'The wishes, repeated' }),
        ),
        weeks: defaulted(Type.Integer({ minimum: 1, maximum: 52, default: 12 })),
      }),
      response: reading(trends),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const now = clock.now()
      const view = viewOf(account)
      const days = daysOfTrend(request.query.weeks, now)
      const wishIds = [...new Set(request.query.wishId?.map((id) => id.toLowerCase()))].filter(isId)
      const found = await readTrends(database, wishIds, { view, days, now })
      return { data: { days, wishes: await withMarks(database, account.accountId, found) } }
    },
  })
}
