import { sql } from 'kysely'
import { noteEvent } from '../../accounts/events/events.ts'
import type { Database, Transaction } from '../../database/open.ts'
import type { NewsKind } from '../../database/tables/watches.ts'
import { parseBodyFilters } from '../../requests/filters/filters.ts'
import type { Retention } from '../../requests/store/delete.ts'
import type { Rise } from '../rising/model.ts'
import { findRises, findRisingTopic, type Post } from '../rising/rising.ts'
import { type ComparedRequest, compareRequests, type FoundItem, findUnfitWishes } from './compare.ts'
import { linkFoundRequests, readComparedRequests, storeKnowledge } from './known-requests.ts'
import { lockWatch, nextReadyAt, type WatchOfNews } from './watch.ts'

/** Items per kind kept by a report, which counts all. */
export const maxItems = 200
const maxRequests = 20
/** After this, a report stops waiting for requests to be placed. */
const placingMs = 10 * 60_000

/** SQL on `watch_runs as run` and `scrape_jobs as job`: whether to report a run now. */
const isDue = (now: Date) => sql<boolean>`
  run.reported_at is null and job.ended_at is not null
  and (job.ended_at <= ${new Date(now.getTime() - placingMs)}::timestamptz or not exists (
    select from scrape_job_requests as link join wish_queue as waiting on waiting.request_id = link.request_id
    where link.job_id = job.id))`

/** Watches with runs to report now, longest waiting first, except some. */
export async function findDueWatches(
  database: Database,
  now: Date,
  max: number,
  except: readonly string[] = [],
): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select run.watch_id as id from watch_runs as run join scrape_jobs as job on job.id = run.job_id
    where ${isDue(now)} and run.watch_id <> all(${except}::uuid[])
    group by run.watch_id order by min(job.ended_at) limit ${max}`.execute(database)
  return rows
}

/** Whether other watches have ended runs whose requests are not placed yet. */
export async function hasWaitingRuns(database: Database, except: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from watch_runs as run join scrape_jobs as job on job.id = run.job_id
    where run.reported_at is null and job.ended_at is not null and run.watch_id <> all(${except}::uuid[]) limit 1`.execute(
    database,
  )
  return rows.length > 0
}

interface ReportInput {
  watchId: string
  canJudge: boolean
  /** Expired requests are no past for a wish's rise. */
  retention: Retention
  now: Date
}

/** Orders items; for new wishes, which have gained nothing, by votes. */
function inOrder(items: readonly FoundItem[], votes: ReadonlyMap<string, number>): FoundItem[] {
  const votesOf = ({ requestIds }: FoundItem) => requestIds.reduce((sum, id) => sum + (votes.get(id) ?? 0), 0)
  return items.toSorted(
    (a, b) =>
      (a.kind === 'new' ? votesOf(b) - votesOf(a) : 0) ||
      b.votesGained - a.votesGained ||
      b.requestsGained - a.requestsGained ||
      (a.wishId < b.wishId ? -1 : 1),
  )
}

interface NewReport {
  watch: WatchOfNews
  found: Record<NewsKind, FoundItem[]>
  topicRise: Rise | null
  isJudged: boolean
  since: Date | null
  now: Date
}

async function readLastMade(transaction: Transaction, watchId: string): Promise<Date | null> {
  const last = await transaction
    .selectFrom('news_reports')
    .select((eb) => eb.fn.max('made_at').as('made_at'))
    .where('watch_id', '=', watchId)
    .executeTakeFirstOrThrow()
  return last.made_at
}

async function storeReport(
  transaction: Transaction,
  { watch, found, topicRise, isJudged, since, now }: NewReport,
): Promise<string> {
  const { id } = await transaction
    .insertInto('news_reports')
    .values({
      watch_id: watch.id,
      since,
      made_at: now,
      state: isJudged ? 'judging' : 'ready',
      ready_at: isJudged ? null : await nextReadyAt(transaction, watch.id, now),
      new_wishes: found.new.length,
      grown: found.grown.length,
      completed: found.completed.length,
      declined: found.declined.length,
      rising: found.rising.length,
      topic_rise: topicRise && JSON.stringify(topicRise),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const kept = Object.values(found).flatMap((items) => items.slice(0, maxItems))
  const rows = kept.map((item, position) => ({
    report_id: id,
    kind: item.kind,
    wish_id: item.wishId,
    request_ids: item.requestIds.slice(0, maxRequests),
    votes_gained: Math.min(item.votesGained, 2_147_483_647),
    requests_gained: item.requestsGained,
    fits: item.fits,
    voices: item.rise?.voices ?? null,
    expected: item.rise?.expected ?? null,
    chance: item.rise?.chance ?? null,
    position,
  }))
  if (rows.length > 0) await transaction.insertInto('news_items').values(rows).execute()
  return id
}

/** Notes a report's news, if its owner wants to hear of it, and each rising wish. @param hasNews whether any fits */
export async function noteNews(
  transaction: Transaction,
  { watch, reportId, hasNews, now }: { watch: WatchOfNews; reportId: string; hasNews: boolean; now: Date },
): Promise<void> {
  const report = await transaction
    .selectFrom('news_reports')
    .select('topic_rise')
    .where('id', '=', reportId)
    .executeTakeFirstOrThrow()
  const rising = await transaction
    .selectFrom('news_items')
    .select('wish_id')
    .where('report_id', '=', reportId)
    .where('kind', '=', 'rising')
    .where((eb) => eb.or([eb('fits', 'is', null), eb('fits', '=', true)]))
    .orderBy('position')
    .execute()
  // Without the watch, since its channels hear of its news: for channels subscribed to every rise.
  const wishIds = rising.map((item) => item.wish_id)
  for (const wishId of report.topic_rise === null ? wishIds : [null, ...wishIds]) {
    const subject = { watchId: watch.id, reportId, wishId }
    await noteEvent(transaction, { accountId: watch.accountId, type: 'wish.rising', subject, now })
  }
  if (!hasNews && !watch.reportsQuiet) return
  const subject = { watchId: watch.id, reportId }
  await noteEvent(transaction, { accountId: watch.accountId, type: 'watch.news', subject, watchId: watch.id, now })
}

/** Marks the runs to report as reported. @returns their jobs. */
async function takeRuns(transaction: Transaction, watchId: string, now: Date): Promise<string[]> {
  const { rows } = await sql<{ job_id: string }>`
    update watch_runs as run set reported_at = ${now} from scrape_jobs as job
    where run.watch_id = ${watchId} and job.id = run.job_id and ${isDue(now)} returning run.job_id`.execute(transaction)
  return rows.map(({ job_id }) => job_id)
}

/** All that the watch knows and its account sees, within its filters. */
function readRequests(transaction: Transaction, { id, accountId, view, filters }: WatchOfNews) {
  const { view: _, ...parsed } = parseBodyFilters(filters, { accountId, hasOwnView: false })
  return readComparedRequests(transaction, { watchId: id, view, filters: parsed })
}

/** What may rise: without wishes that do not fit the goal, which are not part of the topic either. */
function fittingPosts(requests: readonly ComparedRequest[]): (Post & { votes: number })[] {
  const unfit = findUnfitWishes(requests)
  return requests.flatMap(({ requestId, now }) =>
    now === null || unfit.has(now.wishId) ? [] : [{ requestId, ...now }],
  )
}

/** Which wishes with news rise beyond their own past, and whether the topic does. */
async function findRising(
  transaction: Transaction,
  requests: readonly ComparedRequest[],
  { items, ...input }: Omit<ReportInput, 'canJudge'> & { items: readonly FoundItem[]; since: Date | null },
): Promise<{ rising: FoundItem[]; topicRise: Rise | null }> {
  const { since } = input
  if (since === null) return { rising: [], topicRise: null }
  const isTested = ({ requestsGained, fits }: FoundItem) => requestsGained > 0 && fits !== false
  const grown = new Map(items.flatMap((item) => (isTested(item) ? [[item.wishId, item]] : [])))
  const posts = fittingPosts(requests)
  const votes = new Map(posts.map((post) => [post.requestId, post.votes]))
  const found = await findRises(transaction, { ...input, since, posts, grownIds: new Set(grown.keys()) })
  const rising = found.wishes.map(({ wishId, requestIds, ...rise }): FoundItem => {
    const { votesGained, requestsGained, fits } = grown.get(wishId)!
    const mostVoted = requestIds.toSorted((a, b) => (votes.get(b) ?? 0) - (votes.get(a) ?? 0) || (a < b ? -1 : 1))
    return { kind: 'rising', wishId, requestIds: mostVoted, votesGained, requestsGained, fits, rise }
  })
  return { rising, topicRise: found.topic }
}

interface JudgedReport {
  watch: WatchOfNews
  reportId: string
  hasNews: boolean
  retention: Retention
}

/** Retests a risen topic if some of the new wishes counted for it do not fit the goal. */
export async function testTopicAgain(
  transaction: Transaction,
  { watch, reportId, hasNews, retention }: JudgedReport,
): Promise<void> {
  const { rows } = await sql<{ since: Date; now: Date }>`
    update news_reports set topic_rise = null where id = ${reportId} and topic_rise is not null
      and exists (select from news_items where report_id = ${reportId} and kind = 'new' and fits = false)
    returning since, made_at as now`.execute(transaction)
  const [report] = rows
  if (report === undefined || !hasNews) return
  const posts = fittingPosts(await readRequests(transaction, watch))
  const rise = await findRisingTopic(transaction, { ...report, watchId: watch.id, posts, retention })
  if (rise === null) return
  await sql`update news_reports set topic_rise = ${JSON.stringify(rise)}::jsonb where id = ${reportId}`.execute(
    transaction,
  )
}

/** Reports a watch's news since its last report. @returns its id; null without a run to report, or a watch. */
export const makeReport = (
  database: Database,
  { watchId, canJudge, retention, now }: ReportInput,
): Promise<string | null> =>
  database.transaction().execute(async (transaction) => {
    const watch = await lockWatch(transaction, watchId)
    if (watch === null) return null
    const jobIds = await takeRuns(transaction, watchId, now)
    if (jobIds.length === 0) return null
    await linkFoundRequests(transaction, watchId, jobIds)
    const requests = await readRequests(transaction, watch)
    const { items, knowledge } = compareRequests(requests)
    const since = await readLastMade(transaction, watchId)
    const { rising, topicRise } = await findRising(transaction, requests, { items, watchId, retention, since, now })
    await storeKnowledge(transaction, watchId, knowledge)
    const votes = new Map(requests.flatMap(({ requestId, now: one }) => (one ? [[requestId, one.votes]] : [])))
    const told = ({ kind }: FoundItem) => !watch.mutedNews.includes(kind)
    const ofKind = (kind: NewsKind) =>
      inOrder(
        items.filter((item) => item.kind === kind && told(item)),
        votes,
      )
    // Rises come first, for readers of only the first items.
    const found = {
      rising: rising.filter(told),
      new: ofKind('new'),
      grown: ofKind('grown'),
      completed: ofKind('completed'),
      declined: ofKind('declined'),
    }
    const isJudged = canJudge && watch.goal !== null && found.new.length > 0
    const rise = watch.mutedNews.includes('rising') ? null : topicRise
    const reportId = await storeReport(transaction, { watch, found, topicRise: rise, isJudged, since, now })
    const hasNews = Object.values(found).some((told) => told.some(({ fits }) => fits !== false))
    if (!isJudged) await noteNews(transaction, { watch, reportId, hasNews, now })
    return reportId
  })

/** How long reports are kept, apart from a watch's last. */
const reportDays = 90
const sliceRows = 100

/** Deletes a slice of old reports; nothing becomes news again by that. @returns whether there may be more. */
export async function deleteOldReports(database: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - reportDays * 86_400_000)
  const { rows } = await sql`
    delete from news_reports where id = any(array(
      select id from news_reports as old where made_at < ${before}::timestamptz and state = 'ready'
        and exists (select from news_reports as later where later.watch_id = old.watch_id and later.made_at > old.made_at)
      order by made_at limit ${sliceRows} for update skip locked
    )) returning id`.execute(database)
  await sql`delete from news_judgement_days where day < ${before.toISOString().slice(0, 10)}::date`.execute(database)
  return rows.length === sliceRows
}
