import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { cursorsOf, isPositionId, isPositionNumber, type PageInput } from '../../http/pagination.ts'
import { describeJob, type Job, type JobStatus, jobStatus, readTasks } from './jobs.ts'

export interface JobListInput extends PageInput {
  /** Null for the jobs of all accounts. */
  accountId: string | null
  status?: JobStatus
}

export type ListedJob = Job & { accountId: string; createdAt: string }

/** The position after which a page continues: the start of a job, in microseconds since 1970, and its id. */
type Position = [createdAt: number, id: string]

const isMoment = (value: unknown): value is number => isPositionNumber(value) && value >= 0
const cursors = cursorsOf<Position>('jobs', isMoment, isPositionId)

/** How many jobs a page with a status scans: this bounds the work of a query, however rare the status is. */
const maxScanned = 1_000

/** The jobs after a position that have the status, and the last one that was scanned if there may be more after it. */
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
 * One page of the jobs of an account, or of all accounts, the last started first. Keyset paging: each job is listed once, however
 * many are started meanwhile. With a status a page may hold fewer jobs than `limit`, even none, although more follow.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list.
 */
export async function listJobs(
  executor: Executor,
  input: JobListInput,
): Promise<{ jobs: ListedJob[]; hasMore: boolean; cursor: string | null }> {
  const found = await findJobs(executor, input)
  const page = found.filter(({ matches }) => matches).slice(0, input.limit)
  const last = page.at(-1)
  const mayMatchFurther = input.status !== undefined && found.at(-1)?.rank === maxScanned
  const hasMore = found.length > page.length || mayMatchFurther
  // The next page skips what this page scanned without a match.
  const end = page.length === input.limit ? last : found.at(-1)
  const ids = page.map(({ id }) => id)
  const tasks = ids.length === 0 ? new Map() : await readTasks(executor, ids)
  const jobs = page.flatMap(({ id, account_id: accountId, created_at }) => {
    const own = tasks.get(id) ?? []
    const createdAt = created_at.toISOString()
    return own[0] ? [{ ...describeJob(id, own[0], own), accountId, createdAt }] : []
  })
  return { jobs, hasMore, cursor: hasMore && end ? cursors.encode([Number(end.key), end.id]) : null }
}
