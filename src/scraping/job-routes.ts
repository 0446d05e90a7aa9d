import { Type } from 'typebox'
import { readAccountNames } from '../accounts/accounts.ts'
import type { Authentication } from '../accounts/authentication.ts'
import type { Database } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { notFound, ServiceError } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { pageOf, pageParameters } from '../http/pagination.ts'
import { closed, errorResponses, moment, oneOf } from '../http/schemas.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Followers, maxStreamsPerAccount } from './followers.ts'
import { cancelJob } from './job-end.ts'
import { listJobs } from './job-list.ts'
import { jobSchema } from './job-schema.ts'
import { jobStatuses, ownsJob, readJob } from './jobs.ts'
import type { TaskQueue } from './queue.ts'

const security = [{ apiKey: [] }]
const tags = ['Scraping']
const params = closed({ jobId: Type.String() })

export interface JobDependencies {
  database: Database
  clock: Clock
  queue: TaskQueue
  authentication: Authentication
  followers: Followers
}

/** An account's jobs: listing, cancelling and following them. */
export function registerJobRoutes(app: App, dependencies: JobDependencies): void {
  registerList(app, dependencies)
  registerAdminList(app, dependencies)
  registerCancel(app, dependencies)
  registerEvents(app, dependencies)
}

const listDescription =
  'The last started first. With `status` a page may hold fewer jobs than `limit` and yet have more after it: ' +
  '`hasMore` says so.'
const listQuery = closed({
  status: Type.Optional(oneOf(jobStatuses, { description: 'Only jobs that have this status now' })),
  ...pageParameters,
})
const listedJob = {
  ...jobSchema.properties,
  createdAt: moment('When it was started'),
}

function registerList(app: App, { database, authentication }: JobDependencies): void {
  app.get(
    '/api/v1/scrape',
    {
      onRequest: authentication.requireAccount,
      schema: {
        operationId: 'listScrapeJobs',
        summary: 'List the scrape jobs of the account',
        description: listDescription,
        tags,
        security,
        querystring: listQuery,
        response: {
          200: closed({ data: pageOf('jobs', closed(listedJob)) }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { jobs, ...rest } = await listJobs(database, { accountId, ...request.query })
      return { data: { jobs: jobs.map(({ accountId: _own, ...job }) => job), ...rest } }
    },
  )
}

function registerAdminList(app: App, { database, authentication }: JobDependencies): void {
  const owned = {
    accountId: Type.String({ description: 'Whose job it is' }),
    accountName: Type.String({ description: 'Its name' }),
  }
  app.get(
    '/api/admin/jobs',
    {
      onRequest: authentication.requireAdmin,
      schema: {
        operationId: 'listAllScrapeJobs',
        summary: 'List the scrape jobs of all accounts',
        description: listDescription,
        tags: ['Admin'],
        security: [{ adminKey: [] }],
        querystring: listQuery,
        response: {
          200: closed({ data: pageOf('jobs', closed({ ...listedJob, ...owned })) }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    },
    async ({ query }) => {
      const { jobs, ...rest } = await listJobs(database, { accountId: null, ...query })
      const names = await readAccountNames(
        database,
        jobs.map((job) => job.accountId),
      )
      return { data: { jobs: jobs.map((job) => ({ ...job, accountName: names.get(job.accountId) ?? '' })), ...rest } }
    },
  )
}

function registerCancel(app: App, { database, clock, queue, authentication }: JobDependencies): void {
  app.delete(
    '/api/v1/scrape/:jobId',
    {
      onRequest: authentication.requireAccount,
      schema: {
        operationId: 'cancelScrapeJob',
        summary: 'Cancel a scrape job',
        description:
          'At once: unfinished platforms become `skipped` with code `cancelled`, the job `failed`. Pages delivered stay ' +
          'charged, the rest of the credits comes back. A job that has ended stays as it is and is answered as it is, so the ' +
          'call may be repeated.',
        tags,
        security,
        params,
        response: {
          200: closed({ data: jobSchema }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { jobId } = request.params
      const job = isId(jobId)
        ? await database.transaction().execute(async (transaction) => {
            if (!(await ownsJob(transaction, accountId, jobId))) return null
            await cancelJob(transaction, queue, jobId, clock.now())
            return readJob(transaction, accountId, jobId)
          })
        : null
      if (job === null) throw notFound('Scrape job')
      return { data: job }
    },
  )
}

const eventsDescription = `Each event has an \`id\`; a reader that comes again with it as \`Last-Event-ID\` goes on after it, in any process of
the service. Figures of a platform may be skipped where a reader is slow or away, a change of state never is.

- \`platform\`: \`{platform, state, pages, requestsFound, requestsCreated, waitingUntil, error}\`, for each platform at first and then
  whenever it changes; \`error\` is null or \`{code, message}\`.
- \`end\`: the job as polling gives it; the stream ends. Who comes again after that gets a 204.

A comment comes every 15 seconds. Without an \`end\` the stream ended because the service is stopping, or after 15 minutes: come again.
An account may have ${maxStreamsPerAccount} streams open in each process. The call is counted with the polls.`

const retryAfterSeconds = 10
const tooManyStreams = () =>
  new ServiceError(
    'RATE_LIMITED',
    `Too many open event streams (${maxStreamsPerAccount} per account). Close one, or poll the job.`,
    { reason: 'rate' },
  )

function registerEvents(app: App, { authentication, followers }: JobDependencies): void {
  app.addHook('preClose', async () => followers.stop())
  app.get(
    '/api/v1/scrape/:jobId/events',
    {
      onRequest: authentication.requireAccountPolling,
      // It would follow the job for nobody.
      exposeHeadRoute: false,
      schema: {
        operationId: 'followScrapeJob',
        summary: 'Follow a scrape job (server-sent events)',
        description: eventsDescription,
        tags,
        security,
        params,
        headers: Type.Object({
          'last-event-id': Type.Optional(
            Type.String({ maxLength: 1_000, description: 'The id of the last event that was seen' }),
          ),
        }),
        response: {
          200: {
            description: 'The events',
            content: { 'text/event-stream': { schema: Type.Unsafe<unknown>({ type: 'string' }) } },
          },
          204: { type: 'null', description: 'The end was seen already: there is nothing more to come' },
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      const { jobId } = request.params
      const lastEventId = request.headers['last-event-id'] || null
      const stream = isId(jobId) ? await followers.follow(accountId, jobId, lastEventId) : 'not found'
      if (stream === 'not found') throw notFound('Scrape job')
      if (stream === 'too many') {
        reply.header('retry-after', retryAfterSeconds)
        throw tooManyStreams()
      }
      reply.header('cache-control', 'no-store')
      if (stream === 'ended') return reply.status(204).send(null)
      return reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').send(stream)
    },
  )
}
