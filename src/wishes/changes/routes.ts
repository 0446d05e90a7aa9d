import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { dateParameter, parseDate } from '../../http/dates.ts'
import { pageParameters } from '../../http/pagination.ts'
import { closed, reading } from '../../http/schemas.ts'
import { viewOf } from '../../requests/view.ts'
import type { CoalescedReads } from '../../runtime/request-coalescing.ts'
import { dayBefore } from '../list/summary.ts'
import { withMarks } from '../marks/marks.ts'
import { markedWish } from '../marks/routes.ts'
import { readChanges } from './changes.ts'

const listOf = (description: string) =>
  closed({ total: Type.Integer(), results: Type.Array(markedWish) }, { description })

const changes = closed({
  since: Type.String({ format: 'date-time' }),
  rising: closed(
    {
      total: Type.Integer(),
      results: Type.Array(
        closed({
          ...markedWish.properties,
          votesGained: Type.Integer({ description: 'Since the start of the UTC day of `since`' }),
        }),
      ),
    },
    { description: 'Wishes that gained votes, the most gained first' },
  ),
  new: listOf('Wishes of which nothing was in the cache before, the most voted first'),
  done: listOf('Wishes that were completed, the most voted first'),
})

interface ChangesDependencies extends Omit<RouteDependencies, 'idempotent'> {
  cachedRead: CoalescedReads
}

/** Registers the route for changes since a moment. */
export function registerChangesRoutes(app: App, dependencies: ChangesDependencies): void {
  const { database, clock, authentication, cachedRead } = dependencies
  app.get('/api/v1/changes', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readChanges',
      summary: 'Read which wishes are rising, new and done',
      description:
        'Of the whole cache, as your account sees it, watched or not. A wish is in one list: what is done is neither rising nor new. Of very ' +
        'many changes the last 2,000 of each kind are looked at.',
      tags: ['Wishes'],
      security: [{ apiKey: [] }],
      querystring: closed({
        since: Type.Optional(dateParameter('What changed then or later; by default in the last 7 days')),
        limit: pageParameters.limit,
      }),
      response: reading(changes),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const { limit } = request.query
      const { since: from } = request.query
      const since = from === undefined ? new Date(`${dayBefore(7, clock.now())}T00:00:00.000Z`) : parseDate(from)
      const input = { view: viewOf(account), since, limit }
      const found = await cachedRead(`changes ${JSON.stringify(input)}`, () =>
        readChanges(database, { ...input, now: clock.now() }),
      )
      const marked = async <Wish extends { wishId: string }>(list: { total: number; results: Wish[] }) => ({
        ...list,
        results: await withMarks(database, account.accountId, list.results),
      })
      return {
        data: {
          since: since.toISOString(),
          rising: await marked(found.rising),
          new: await marked(found.new),
          done: await marked(found.done),
        },
      }
    },
  })
}
