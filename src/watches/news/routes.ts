import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { includesScope } from '../../accounts/keys.ts'
import { jobProblems } from '../../collecting/scraping/job-schema.ts'
import { requestStatuses } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { dateParameter, parseDate } from '../../http/dates.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { named } from '../../http/openapi-components.ts'
import { pageOf, pageParameters } from '../../http/pagination.ts'
import { changing, closed, defaulted, moment, nullable, oneOf, reading } from '../../http/schemas.ts'
import { viewOf } from '../../requests/view.ts'
import { readLastRuns, type WatchRun } from '../history.ts'
import { markRead, readNews, type WatchNews } from './unread.ts'
import { readWatchOfNews } from './watch.ts'

const rise = nullable(
  closed(
    {
      voices: Type.Integer({ description: 'Of seven days' }),
      expected: Type.Number({ description: 'By its past' }),
      onceIn: Type.Integer({ description: 'Weeks in which chance brings as many once' }),
    },
    named('Rise'),
  ),
)

const newsItem = closed(
  {
    wishId: Type.String({ description: 'Identifier of the wish' }),
    requestId: Type.String({
      description: 'The request that was completed or declined; else the one whose title is that of the wish',
    }),
    title: Type.String(),
    excerpt: Type.String({ description: 'The beginning of its text' }),
    url: Type.String({ description: 'Of the wish on the page' }),
    votes: Type.Integer({ description: 'Of the whole wish, now' }),
    votesGained: Type.Integer({ description: 'By the requests that the watch knew; each vote is news once' }),
    requestsGained: Type.Integer({ description: 'How many requests of it are new to the watch' }),
    platforms: Type.Array(Type.String()),
    status: nullable(oneOf(requestStatuses)),
    rise,
  },
  named('NewsItem'),
)

const section = (description: string) =>
  Type.Array(newsItem, { maxItems: 50, description: `${description}; the first 50` })

const total = (of: string) => Type.Integer({ description: `How many \`${of}\` has in full` })

const watchNews = closed({
  watchId: Type.String(),
  watchName: Type.String(),
  topic: Type.String(),
  goal: nullable(Type.String()),
  readUntil: nullable(moment('Until where the account has marked its news as read')),
  until: nullable(moment('When the last of these reports became ready: `POST /api/v1/news/read` takes it')),
  reports: Type.Integer({ description: 'How many reports are merged' }),
  hasFirst: Type.Boolean({ description: 'The first report of the watch is one of them: all of its wishes are new' }),
  topicRise: rise,
  problems: jobProblems,
  totals: closed({
    rising: total('rising'),
    newWishes: total('newWishes'),
    grown: total('grown'),
    completed: total('completed'),
    declined: total('declined'),
    other: total('other'),
  }),
  rising: section('Wishes that rise beyond their own past, in another list, too'),
  newWishes: section('Wishes of which the watch knew no request'),
  grown: section('Wishes that gained votes or requests'),
  completed: section('Wishes of which a request was completed'),
  declined: section('Wishes of which a request was declined'),
  other: section('What does not fit the goal of the watch'),
})

const readAnswer = closed({
  watchIds: Type.Array(Type.String(), { description: 'The watches whose news were marked' }),
})

const shared = { tags: ['News'], security: [{ apiKey: [] }] }

/** Records that an account looked at some watches (`watches/watch.ts`). */
export type RecordVisit = (executor: Executor, watchIds: readonly string[], now: Date) => Promise<void>

interface NewsDependencies extends Omit<RouteDependencies, 'idempotent'> {
  publicUrl: () => string
  recordVisit: RecordVisit
  visits: { record: (watchIds: readonly string[]) => void }
}

export function registerNewsRoutes(app: App, dependencies: NewsDependencies): void {
  registerRead(app, dependencies)
  registerMark(app, dependencies)
}

/** @throws ServiceError NOT_FOUND for another account's watch. */
async function requireWatch(executor: Executor, accountId: string, watchId: string): Promise<void> {
  const watch = isId(watchId) ? await readWatchOfNews(executor, watchId) : null
  if (watch?.accountId !== accountId) throw notFound('Watch')
}

const toAnswer = ({ readUntil, until, ...news }: WatchNews, lastRun: WatchRun | undefined) => ({
  ...news,
  problems: lastRun?.problems ?? [],
  readUntil: readUntil?.toISOString() ?? null,
  until: until?.toISOString() ?? null,
})

const description = `By watch, each wish once in a list however many reports had it. A wish is new when the watch knew none of its requests; it grew when
these gained votes, or others joined it. What expires or comes back is never news, and neither are merges and splits. Titles and numbers are those of now, as your account sees
them: what was deleted or hidden since is left out. Reading with a key that may collect counts as a look at these watches.`

function registerRead(app: App, { database, authentication, publicUrl, visits }: NewsDependencies): void {
  app.get('/api/v1/news', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readNews',
      summary: 'What is new in the watches of the account since it last marked news as read',
      description,
      ...shared,
      querystring: closed({
        watchId: Type.Optional(Type.String({ maxLength: 100, description: 'Only of this watch' })),
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
      response: reading(pageOf(watchNews), 'NOT_FOUND'),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const { watchId, since } = request.query
      const { accountId } = account
      if (watchId !== undefined) await requireWatch(database, accountId, watchId)
      const view = viewOf(account)
      const from = since === undefined ? undefined : parseDate(since)
      const asked = { ...request.query, since: from, accountId, view, publicUrl: publicUrl() }
      const page = await readNews(database, asked)
      const ids = page.results.map((watch) => watch.watchId)
      // A visit keeps a watch running, which spends credits.
      if (ids.length > 0 && includesScope(account.scope, 'collect')) visits.record(ids)
      const lastRuns = await readLastRuns(database, ids)
      return { data: { ...page, results: page.results.map((news) => toAnswer(news, lastRuns.get(news.watchId))) } }
    },
  })
}

function registerMark(app: App, { database, clock, authentication, recordVisit }: NewsDependencies): void {
  app.post('/api/v1/news/read', {
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
      response: changing(readAnswer, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { watchId, until } = request.body
      if (watchId !== undefined) await requireWatch(database, accountId, watchId)
      const upTo = until === undefined ? undefined : parseDate(until)
      const watchIds = await markRead(database, { accountId, watchId, until: upTo })
      if (watchIds.length > 0) await recordVisit(database, watchIds, clock.now())
      return { data: { watchIds } }
    },
  })
}
