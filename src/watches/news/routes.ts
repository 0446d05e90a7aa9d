import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import { includesScope } from '../../accounts/keys.ts'
import type { Database, Executor } from '../../database/open.ts'
import { noteIfWritable } from '../../database/writes.ts'
import type { App } from '../../http/app-type.ts'
import { dateParameter, parseDate } from '../../http/dates.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { pageParameters } from '../../http/pagination.ts'
import { bodyErrors, closed, defaulted, errorResponses } from '../../http/schemas.ts'
import { viewOf } from '../../requests/views/view.ts'
import type { Clock } from '../../runtime/clock.ts'
import { newsAnswer, readAnswer } from './schemas.ts'
import { markRead, readNews, type WatchNews } from './unread.ts'
import { readWatchOfNews } from './watch.ts'

const shared = { tags: ['News'], security: [{ apiKey: [] }] }

/** Notes that an account has looked at some of its watches (`watches/looks.ts`). */
export type NoteLook = (executor: Executor, watchIds: readonly string[], now: Date) => Promise<void>

export interface NewsDependencies {
  database: Database
  clock: Clock
  authentication: Authentication
  publicUrl: () => string
  noteLook: NoteLook
}

export function registerNewsRoutes(app: App, dependencies: NewsDependencies): void {
  registerRead(app, dependencies)
  registerMark(app, dependencies)
}

/** @throws ServiceError NOT_FOUND for a watch that is not the account's. */
async function requireWatch(executor: Executor, accountId: string, watchId: string): Promise<void> {
  const watch = isId(watchId) ? await readWatchOfNews(executor, watchId) : null
  if (watch?.accountId !== accountId) throw notFound('Watch')
}

const toAnswer = ({ readUntil, until, ...news }: WatchNews) => ({
  ...news,
  readUntil: readUntil?.toISOString() ?? null,
  until: until?.toISOString() ?? null,
})

const description = `By watch, each wish once in a list however many reports had it. A wish is new when the watch knew none of its requests; it grew when
these gained votes, or others joined it. What expires or comes back is never news, and neither are merges and splits. Titles and numbers are those of now, as your account sees
them: what was deleted or hidden since is left out. Reading with a key that may collect counts as a look at these watches.`

function registerRead(app: App, { database, clock, authentication, publicUrl, noteLook }: NewsDependencies): void {
  app.get(
    '/api/v1/news',
    {
      onRequest: authentication.requireAccount,
      schema: {
        operationId: 'readNews',
        summary: 'What is new in the watches of the account since it last marked news as read',
        description,
        ...shared,
        querystring: closed({
          watch: Type.Optional(Type.String({ maxLength: 100, description: 'Only of this watch: its `watchId`' })),
          since: Type.Optional(
            dateParameter('Reports that became ready then or later, instead of those not marked as read'),
          ),
          limit: defaulted(
            Type.Integer({
              minimum: 1,
              maximum: 20,
              default: 10,
              description: 'The maximum of watches in this answer',
            }),
          ),
          cursor: pageParameters.cursor,
        }),
        response: { 200: newsAnswer, ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND') },
      },
    },
    async (request) => {
      const account = authentication.accountOf(request)
      const { watch: watchId, since, limit, cursor } = request.query
      const { accountId } = account
      if (watchId !== undefined) await requireWatch(database, accountId, watchId)
      const view = viewOf(account)
      const from = since === undefined ? undefined : parseDate(since)
      const page = await readNews(database, {
        accountId,
        view,
        publicUrl: publicUrl(),
        watchId,
        since: from,
        limit,
        cursor,
      })
      const ids = page.watches.map((watch) => watch.watchId)
      // A look keeps a watch running, which spends.
      if (ids.length > 0 && includesScope(account.scope, 'collect')) {
        await noteIfWritable(noteLook(database, ids, clock.now()))
      }
      return { data: { ...page, watches: page.watches.map(toAnswer) } }
    },
  )
}

function registerMark(app: App, { database, clock, authentication, noteLook }: NewsDependencies): void {
  app.post(
    '/api/v1/news/read',
    {
      onRequest: authentication.requireCollect,
      schema: {
        operationId: 'markNewsRead',
        summary: 'Mark news as read',
        description:
          'Of one watch or of all, up to `until`, as the news said it; without it all that is ready. Repeating it changes nothing, and no mark ever goes back.',
        ...shared,
        body: closed({
          watchId: Type.Optional(Type.String({ maxLength: 100, description: 'Only of this watch' })),
          until: Type.Optional(dateParameter('Only what was ready then')),
        }),
        response: { 200: readAnswer, ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', 'NOT_FOUND') },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { watchId, until } = request.body
      if (watchId !== undefined) await requireWatch(database, accountId, watchId)
      const upTo = until === undefined ? undefined : parseDate(until)
      const watchIds = await markRead(database, { accountId, watchId, until: upTo })
      if (watchIds.length > 0) await noteLook(database, watchIds, clock.now())
      return { data: { watchIds } }
    },
  )
}
