import { sql } from 'kysely'
import { Type } from 'typebox'
import { readAccountNames } from '../../accounts/accounts.ts'
import type { Database, Executor } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import {
  cursorsOf,
  isPositionId,
  isPositionNumber,
  type PageInput,
  pageOf,
  pageParameters,
} from '../../http/pagination.ts'
import { closed, moment, oneOf, reading } from '../../http/schemas.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type EventDependencies, registerEventRoute } from './event-route.ts'
import { cancelJob } from './job-end.ts'
import { jobSchema } from './job-schema.ts'
import { describeJob, type Job, type JobStatus, jobStatus, jobStatuses, ownsJob, readJob, readTasks } from './jobs.ts'
import type { TaskQueue } from './queue.ts'

interface JobListInput extends PageInput {
  accountId: string | null
  status?: JobStatus
}

type ListedJob = Job & { accountId: string; createdAt: string }

/** Where a page continues: a job's start, in microseconds since 1970, and its id. */
type Position = [createdAt: number, id: string]

const isMoment = (value: unknown): value is number => isPositionNumber(value) && value >= 0
const cursors = cursorsOf<Position>('jobs', isMoment, isPositionId)

/** Jobs scanned per page with a status filter: bounds the work for rare statuses. */
const maxScanned = 1_000

/** Matching jobs after a position, and the last one scanned if more may follow. */
async function findJobs(executor: Executor, { accountId, status, limit, cursor }: JobListInput) {
  const after = cursor === undefined ? null : cursors.decode(cursor)
  const from =
    after === null
      ? sql``
      : sql`and (created_at, id) <
          (timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond', ${after[1]}::uuid)`
  const owned = accountId === null ? sql`account_id is not null` : sql`account_id = ${accountId}`
  const scanned = status === undefined ? limit + 1 : maxScanned
  const { rows } = await sql<{
    id: string
    account_id: string
    key: number
    created_at: Date
    matches: boolean
    rank: number
  }>`
    select id, account_id, created_at, rank::integer, (extract(epoch from created_at) * 1000000)::bigint as key, matches
    from (
      select *, ${status === undefined ? sql`true` : sql`${jobStatus} = ${status}`} as matches,
        row_number() over (order by created_at desc, id desc) as rank
      from (
        select * from scrape_jobs where ${owned} ${from}
        order by created_at desc, id desc limit ${scanned}
      ) as scrape_jobs
    ) as scanned
    where matches or rank = ${scanned}
    order by rank limit ${limit + 2}`.execute(executor)
  return rows
}

/**
 * Jobs of one or all accounts, latest first; each once, whatever starts meanwhile. With a status, pages may be short or
 * empty although more follow.
 * @throws ServiceError INVALID_REQUEST for another list's cursor
 */
async function listJobs(
  executor: Executor,
  input: JobListInput,
): Promise<{ results: ListedJob[]; hasMore: boolean; cursor: string | null }> {
  const found = await findJobs(executor, input)
  const page = found.filter(({ matches }) => matches).slice(0, input.limit)
  const last = page.at(-1)
  const mayMatchFurther = input.status !== undefined && found.at(-1)?.rank === maxScanned
  const hasMore = found.length > page.length || mayMatchFurther
  // The next page skips what this one scanned without a match.
  const end = page.length === input.limit ? last : found.at(-1)
  const ids = page.map(({ id }) => id)
  const tasks = ids.length === 0 ? new Map() : await readTasks(executor, ids)
  const results = page.flatMap(({ id, account_id: accountId, created_at }) => {
    const own = tasks.get(id) ?? []
    const createdAt = created_at.toISOString()
    return own[0] ? [{ ...describeJob(id, own[0], own), accountId, createdAt }] : []
  })
  return { results, hasMore, cursor: hasMore && end ? cursors.encode([Number(end.key), end.id]) : null }
}

const security = [{ apiKey: [] }]
const tags = ['Scraping']
const params = closed({ jobId: Type.String() })

export interface JobDependencies extends EventDependencies {
  database: Database
  clock: Clock
  queue: TaskQueue
}

/** Routes to list, cancel and follow an account's jobs. */
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
  app.get('/api/v1/scrape', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listScrapeJobs',
      summary: 'List the scrape jobs of the account',
      description: listDescription,
      tags,
      security,
      querystring: listQuery,
      response: reading(pageOf(closed(listedJob))),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { results, ...rest } = await listJobs(database, { accountId, ...request.query })
      return { data: { results: results.map(({ accountId: _own, ...job }) => job), ...rest } }
    },
  })
}

function registerAdminList(app: App, { database, authentication }: JobDependencies): void {
  const owned = {
    accountId: Type.String({ description: 'The account of the job' }),
    accountName: Type.String({ description: 'Its name' }),
  }
  app.get('/api/admin/jobs', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'listAllScrapeJobs',
      summary: 'List the scrape jobs of all accounts',
      description: listDescription,
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      querystring: listQuery,
      response: reading(pageOf(closed({ ...listedJob, ...owned }))),
    },
    handler: async ({ query }) => {
      const { results, ...rest } = await listJobs(database, { accountId: null, ...query })
      const names = await readAccountNames(
        database,
        results.map((job) => job.accountId),
      )
      return {
        data: { results: results.map((job) => ({ ...job, accountName: names.get(job.accountId) ?? '' })), ...rest },
      }
    },
  })
}

function registerCancel(app: App, { database, clock, queue, authentication }: JobDependencies): void {
  app.delete('/api/v1/scrape/:jobId', {
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
      response: reading(jobSchema, 'SCOPE_EXCEEDED', 'NOT_FOUND'),
    },
    handler: async (request) => {
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
  })
}
