import { Type } from 'typebox'
import { readAccountNames } from '../../accounts/accounts.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { pageOf, pageParameters } from '../../http/pagination.ts'
import { closed, errorResponses, moment, oneOf } from '../../http/schemas.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type EventDependencies, registerEventRoute } from './event-route.ts'
import { cancelJob } from './job-end.ts'
import { listJobs } from './job-list.ts'
import { jobSchema } from './job-schema.ts'
import { jobStatuses, ownsJob, readJob } from './jobs.ts'
import type { TaskQueue } from './queue.ts'

const security = [{ apiKey: [] }]
const tags = ['Scraping']
const params = closed({ jobId: Type.String() })

export interface JobDependencies extends EventDependencies {
  database: Database
  clock: Clock
  queue: TaskQueue
}

/** An account's jobs: listing, cancelling and following them. */
export function registerJobRoutes(app: App, dependencies: JobDependencies): void {
  registerList(app, dependencies)
  registerAdminList(app, dependencies)
  registerCancel(app, dependencies)
  registerEventRoute(app, dependencies)
}

const listDescription =
  'The last started first. With `status` a page may hold fewer jobs than `limit` although more follow: `hasMore` says so.'
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
    accountId: Type.String({ description: 'The account of the job' }),
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
      onRequest: authentication.requireCollect,
      schema: {
        operationId: 'cancelScrapeJob',
        summary: 'Cancel a scrape job',
        description:
          'Takes effect at once: unfinished platforms become `skipped` with code `cancelled`, the job `failed`. Delivered pages ' +
          'stay charged; the rest of the credits is released. A job that has ended does not change and is returned as it is, ' +
          'so the call may be repeated.',
        tags,
        security,
        params,
        response: {
          200: closed({ data: jobSchema }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'SCOPE_EXCEEDED', 'NOT_FOUND'),
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
