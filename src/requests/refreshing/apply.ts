import { sql } from 'kysely'
import { type ClaimedRow, claimRows, isUnclaimed } from '../../database/claimed-work.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import type { FoundRequest, Refresh, Refreshed } from '../../platforms/platform.ts'
import { dayMs } from '../../runtime/durations.ts'
import { deleteRequests } from '../store/delete.ts'
import { preparePage } from '../store/prepared-page.ts'
import { storePageAlone } from '../store/store.ts'
import { recount } from '../wish-numbers/recount.ts'

interface ClaimedRequest extends ClaimedRow {
  handle: string
}

/** How many of the longest-due requests are compared by votes: bounds the cost of a claim. */
const comparedRows = 1_000
/** Much longer than a call with all its retries: an expired claim belonged to a process that died. */
const claimMs = 10 * 60_000

type DueRequest = Pick<ClaimedRequest, 'id' | 'handle'>

async function readDue(executor: Executor, platform: PlatformName, now: Date): Promise<DueRequest[]> {
  const { rows } = await sql<DueRequest>`
    select due.id, due.handle from (
      select request_id as id, handle from request_refreshes
      where platform = ${platform} and due_at <= ${now}::timestamptz and ${isUnclaimed}
      order by due_at limit ${sql.lit(comparedRows)}
    ) as due join requests using (id) order by requests.votes desc, due.id`.execute(executor)
  return rows
}

/** Claims the most voted due request and others that can be read with it: up to `maxHandles` of one group. */
export async function claimRefreshes(
  database: Database,
  platform: PlatformName,
  { maxHandles, groupOf }: Refresh,
  now: Date,
): Promise<ClaimedRequest[]> {
  const due = await readDue(database, platform, now)
  const [first] = due
  if (first === undefined) return []
  const group = groupOf(first.handle)
  const chosen = due.filter(({ handle }) => groupOf(handle) === group).slice(0, maxHandles)
  // Others may have claimed some meanwhile.
  return claimRows<{ handle: string }>(database, 'request_refreshes', {
    where: sql`request_id = any(${chosen.map(({ id }) => id)}::uuid[]) and due_at <= ${now}::timestamptz`,
    order: sql`request_id`,
    ...{ max: maxHandles, claimMs },
    columns: sql`handle`,
  })
}

/** The result of a call. */
export interface RefreshOutcome {
  refreshed: number
  deleted: number
  /** Missing from the answer, or in a source that cannot be read now. */
  unchanged: number
}

/** Consecutive UTC days that a platform must omit a request before it counts as deleted there. */
const daysMissing = 3
const unreadableMs = 7 * dayMs

const utcDay = (moment: Date) => moment.toISOString().slice(0, 10)

/** Counts a missing day for these requests. @returns those missing for long enough to be deleted. */
async function countMissing(transaction: Transaction, ids: readonly string[], now: Date): Promise<string[]> {
  if (ids.length === 0) return []
  const today = utcDay(now)
  const { rows } = await sql<{ id: string; misses: number }>`
    update request_refreshes set checked_at = ${now}, due_at = ${new Date(now.getTime() + dayMs)}, missed_on = ${today}::date,
      misses = case when missed_on = ${today}::date then misses else misses + 1 end
    where request_id = any(${[...ids]}::uuid[])
    returning request_id as id, misses`.execute(transaction)
  return rows.filter(({ misses }) => misses >= daysMissing).map(({ id }) => id)
}

/** Postpones requests that are still due: `storePage` already postponed those it refreshed. */
const postpone = (transaction: Transaction, ids: readonly string[], now: Date) =>
  sql`
    update request_refreshes set checked_at = ${now}, due_at = ${new Date(now.getTime() + unreadableMs)}
    where request_id = any(${[...ids]}::uuid[]) and due_at <= ${now}`.execute(transaction)

/**
 * Stores a call's result and deletes vanished requests in two transactions, because one that holds request locks must
 * not wait for more. After a crash in between, the rest is read again once its claim expires.
 */
export async function applyRefresh(
  database: Database,
  platform: PlatformName,
  claimed: readonly ClaimedRequest[],
  answers: readonly Refreshed[],
  now: Date,
): Promise<RefreshOutcome> {
  const answerOf = new Map(answers.map((answer) => [answer.handle, answer]))
  const idsOf = (state: Refreshed['state']) =>
    claimed.filter(({ handle }) => (answerOf.get(handle)?.state ?? 'missing') === state).map(({ id }) => id)
  const found: FoundRequest[] = answers.flatMap((answer) => (answer.state === 'found' ? [answer.request] : []))
  const page = await preparePage(platform, { requests: [], offTopic: found }, null)
  await storePageAlone(database, { ...page, platform, jobId: null, topic: '', now })
  return database.transaction().execute(async (transaction) => {
    const gone = [...idsOf('gone'), ...(await countMissing(transaction, idsOf('missing'), now))]
    const chosen = sql<{ id: string }>`
      select id from requests where id = any(${gone}::uuid[]) order by platform, source_id for update`
    const { deleted, wishes } =
      gone.length === 0 ? { deleted: 0, wishes: {} } : await deleteRequests(transaction, chosen)
    // Includes requests for which the platform returned another one, such as a merge target.
    await postpone(transaction, [...idsOf('unreadable'), ...idsOf('found')], now)
    await recount(transaction, wishes)
    return { refreshed: found.length, deleted, unchanged: claimed.length - found.length - deleted }
  })
}
