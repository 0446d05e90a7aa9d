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

/** A request that this process may read again until the claim runs out. */
interface ClaimedRequest extends ClaimedRow {
  handle: string
}

/** How many of those that are due longest are compared by their votes: this bounds the work of a claim. */
const comparedRows = 1_000
/** Far longer than a call with all its tries. A claim that runs out belonged to a process that died. */
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

/**
 * Claims the requests of one call: the most wanted one that is due, and others that can be read together with it.
 * @returns at most `maxHandles` of one group; none when nothing is due.
 */
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
  // Another process may have claimed some of them meanwhile.
  return claimRows<{ handle: string }>(database, 'request_refreshes', {
    where: sql`request_id = any(${chosen.map(({ id }) => id)}::uuid[]) and due_at <= ${now}::timestamptz`,
    order: sql`request_id`,
    ...{ max: maxHandles, claimMs },
    columns: sql`handle`,
  })
}

/** What a call did to the requests that it read. */
export interface RefreshOutcome {
  refreshed: number
  deleted: number
  /** Left out of the answer, or of a source that cannot be read now. */
  unchanged: number
}

/** On how many UTC days in a row a platform must leave a request out until it counts as gone. */
const daysMissing = 3
/** When a request is due again whose source could not be read. */
const unreadableMs = 7 * dayMs

const utcDay = (moment: Date) => moment.toISOString().slice(0, 10)

/** Counts a day on which these were missing. @returns those that have been missing for long enough to be gone. */
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

/** Makes requests due later that are due before: `storePage` has set a later time for those that it refreshed. */
const postpone = (transaction: Transaction, ids: readonly string[], now: Date) =>
  sql`
    update request_refreshes set checked_at = ${now}, due_at = ${new Date(now.getTime() + unreadableMs)}
    where request_id = any(${[...ids]}::uuid[]) and due_at <= ${now}`.execute(transaction)

/**
 * Stores what a call returned for the claimed requests, and deletes what is gone: in two transactions, because one that has the locks of some requests
 * must not wait for more. What a crash leaves in between is read again when its claim ends.
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
    // Also those for which the platform returned another request, such as the one that they were merged into.
    await postpone(transaction, [...idsOf('unreadable'), ...idsOf('found')], now)
    await recount(transaction, wishes)
    return { refreshed: found.length, deleted, unchanged: claimed.length - found.length - deleted }
  })
}
