import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { isId } from '../http/ids.ts'
import { invalidField } from '../http/validation.ts'
import { describeJob, type Job, type JobStatus, jobStatus, readTasks } from './jobs.ts'

export interface JobListInput {
  /** Null for the jobs of all accounts. */
  accountId: string | null
  status?: JobStatus
  /** 1 to 100 */
  limit: number
  /** As an earlier page gave it. */
  cursor?: string
}

export type ListedJob = Job & { accountId: string; createdAt: string }

/** The place after which a page goes on: when a job was started, in microseconds since 1970, and its id. */
type Place = [createdAt: number, id: string]

const encodeCursor = (place: Place) => Buffer.from(JSON.stringify(['jobs', ...place])).toString('base64url')

function decodeCursor(cursor: string): Place {
  try {
    const [list, createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (
      list === 'jobs' &&
      Number.isSafeInteger(createdAt) &&
      (createdAt as number) >= 0 &&
      typeof id === 'string' &&
      isId(id)
    ) {
      return [createdAt as number, id]
    }
  } catch {
    // Whatever was sent is not one of ours.
  }
  throw invalidField('cursor', 'is not a cursor of this list; start again without it')
}

/** How many jobs a page with a status looks at, at most: the work of every query is bounded, however rare the status is. */
const maxLookedAt = 1_000

/** The jobs after a place that have the status, and the last one that was looked at if there may be more after it. */
async function findJobs(executor: Executor, { accountId, status, limit, cursor }: JobListInput) {
  const after = cursor === undefined ? null : decodeCursor(cursor)
  const from =
    after === null
      ? sql``
      : sql`and (created_at, id) <
          (timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond', ${after[1]}::uuid)`
  const owned = accountId === null ? sql`account_id is not null` : sql`account_id = ${accountId}`
  const lookedAt = status === undefined ? limit + 1 : maxLookedAt
  const { rows } = await sql<{
    id: string
    account_id: string
    key: number
    created_at: Date
    matches: boolean
    place: number
  }>`
    select id, account_id, created_at, place::integer, (extract(epoch from created_at) * 1000000)::bigint as key, matches
    from (
      select *, ${status === undefined ? sql`true` : sql`${jobStatus} = ${status}`} as matches,
        row_number() over (order by created_at desc, id desc) as place
      from (
        select * from scrape_jobs where ${owned} ${from}
        order by created_at desc, id desc limit ${lookedAt}
      ) as scrape_jobs
    ) as looked_at
    where matches or place = ${lookedAt}
    order by place limit ${limit + 2}`.execute(executor)
  return rows
}

/**
 * One page of an account's jobs, or of everybody's, the last started first. Keyset paging: each job is seen once, however many are started
 * meanwhile. With a status a page may hold fewer jobs than asked for, even none, and yet have more after it.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list.
 */
export async function listJobs(
  executor: Executor,
  input: JobListInput,
): Promise<{ jobs: ListedJob[]; hasMore: boolean; cursor: string | null }> {
  const found = await findJobs(executor, input)
  const page = found.filter(({ matches }) => matches).slice(0, input.limit)
  const last = page.at(-1)
  const looksFurther = input.status !== undefined && found.at(-1)?.place === maxLookedAt
  const hasMore = found.length > page.length || looksFurther
  // What was looked at in vain is not looked at again.
  const end = page.length === input.limit ? last : found.at(-1)
  const tasks =
    page.length === 0
      ? new Map()
      : await readTasks(
          executor,
          page.map(({ id }) => id),
        )
  const jobs = page.flatMap(({ id, account_id: accountId, created_at }) => {
    const own = tasks.get(id) ?? []
    const createdAt = created_at.toISOString()
    return own[0] ? [{ ...describeJob(id, own[0], own), accountId, createdAt }] : []
  })
  return { jobs, hasMore, cursor: hasMore && end ? encodeCursor([Number(end.key), end.id]) : null }
}
