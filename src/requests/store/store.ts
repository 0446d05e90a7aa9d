import { sql } from 'kysely'
import { takeLock, takeSourceLocks } from '../../database/advisory-locks.ts'
import type { Standing } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import { importPlatform } from '../../platforms/registry.ts'
import { recount, type WishChanges } from '../wish-numbers/recount.ts'
import { countLater } from '../words/uncounted-texts.ts'
import { noteChangedWords } from '../words/vocabulary.ts'
import { refreshCopies } from './copies.ts'
import { bringsBackCorrected, type SettledStandings, settleStandings, sourcesOf } from './own-sources.ts'
import { noteRefreshHandles, noteStatusChanges, sampleVotes } from './page-effects.ts'
import type { FoundPage } from './prepared-page.ts'
import { standingOfConfidence } from './standings.ts'
import { findSuppressed } from './suppression.ts'
import { upsertTexts, withStoredTexts } from './texts.ts'
import { linkToTopic } from './topic-links.ts'
import { type StoredRequest, upsertRequests } from './upsert.ts'

export interface StoredPage {
  /** How many distinct requests of the page joined its job, known ones included. */
  found: number
  /** How many likely requests about the topic are new to the cache or, for the job's account, newly visible. */
  created: number
  /** How many maybe requests about the topic were new. */
  maybeCreated: number
  /** How many rows were new, on topic or not. */
  inserted: number
  notLikely: number
  changed: number
  /** Ids of requests that joined the job with this page. Empty for a live collection. */
  joined: string[]
  /** For the `recount` at the end of the page's transaction. */
  wishes: WishChanges
}

const nothing: StoredPage = {
  ...{ found: 0, created: 0, maybeCreated: 0, inserted: 0, notLikely: 0, changed: 0, joined: [], wishes: {} },
}

/** Stores a page in its own transaction. */
export const storePageAlone = (database: Database, found: FoundPage): Promise<StoredPage> =>
  database.transaction().execute(async (transaction) => {
    const stored = await storePage(transaction, found)
    await recount(transaction, stored.wishes)
    return stored
  })

/** Stores a page without its suppressed requests; its transaction must end with a `recount` of the wishes. */
export async function storePage(transaction: Transaction, found: FoundPage): Promise<StoredPage> {
  const identified = found.requests.map(({ request }) => request)
  if (identified.length === 0) return nothing
  // Advisory locks come before request locks.
  const suppressed = await findSuppressed(transaction, found.platform, identified)
  if (await bringsBackCorrected(transaction, found)) await takeLock(transaction, 'memberships')
  await takeSourceLocks(transaction, sourcesOf(found), 'shared')
  const requests = found.requests.filter(({ request }) => !suppressed.has(request.sourceId))
  if (requests.length === 0) return nothing
  const page = await withStoredTexts(transaction, { ...found, requests })
  const rows = await upsertRequests(transaction, page)
  const changed = rows.filter((row) => row.changed).map(({ id }) => id)
  await refreshCopies(transaction, changed)
  const stored = new Map(rows.map((row) => [row.source_id, row]))
  const idOf = new Map(rows.map(({ source_id, id }) => [source_id, id]))
  // Must precede the links, which copy the standing.
  const settled = await settleStandings(transaction, page, stored)
  const texts = await upsertTexts(transaction, page, stored)
  const joining = page.requests
    .filter(({ relevance }) => relevance !== 'offTopic')
    .flatMap(({ request }) => idOf.get(request.sourceId) ?? [])
  await linkToTopic(transaction, page, stored)
  const joined = await linkToJob(transaction, page, joining)
  await sampleVotes(transaction, rows, page.now)
  await noteStatusChanges(transaction, rows, page.now)
  await noteRefreshHandles(transaction, page, idOf)
  const created = await countCreated(transaction, page, rows, settled)
  await countLater(transaction, texts.created)
  await noteChangedWords(transaction, texts.changed)
  const corrected = rows.filter((row) => row.maybe_corrected).map(({ id }) => id)
  const inserted = rows.filter((row) => row.created)
  // Other new requests are wishes by themselves, without a row.
  const asks = page.platform === importPlatform ? inserted.map(({ id }) => id) : []
  const confidenceOf = new Map(page.requests.map(({ request, confidence }) => [request.sourceId, confidence]))
  const isLikely = ({ source_id }: StoredRequest) =>
    standingOfConfidence(confidenceOf.get(source_id) ?? 0, page.platform) === 2
  const affected = [...changed, ...corrected, ...settled.computed, ...asks]
  const wishes = { requests: affected.filter((id) => !settled.fresh.has(id)), fresh: [...settled.fresh] }
  const counts = {
    created: created.likely,
    maybeCreated: created.maybe,
    inserted: inserted.length,
    notLikely: inserted.filter((row) => !isLikely(row)).length,
    changed: changed.length,
  }
  return { found: joining.length, ...counts, joined, wishes }
}

/** @returns those new to the job. */
async function linkToJob(transaction: Transaction, { jobId }: FoundPage, ids: readonly string[]): Promise<string[]> {
  if (jobId === null || ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    insert into scrape_job_requests (job_id, request_id)
    select ${jobId}, id from unnest(${ids}::uuid[]) as id on conflict do nothing
    returning request_id as id`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** Counts new on-topic requests by class, as the job's account sees them. Newly visible requests count as new. */
async function countCreated(
  transaction: Transaction,
  { jobId, platform, requests }: FoundPage,
  rows: readonly StoredRequest[],
  { computed, appeared }: SettledStandings,
) {
  const onTopic = requests.filter(({ relevance }) => relevance === 'onTopic')
  const confidenceOf = new Map(onTopic.map(({ request, confidence }) => [request.sourceId, confidence]))
  const created = rows.filter((row) => (row.created || appeared.has(row.id)) && confidenceOf.has(row.source_id))
  const standings: Standing[] = created
    .filter(({ id }) => !computed.has(id))
    .map(({ source_id }) => standingOfConfidence(confidenceOf.get(source_id) ?? 0, platform))
  const ids = created.filter(({ id }) => computed.has(id)).map(({ id }) => id)
  if (ids.length > 0) standings.push(...(await readStandings(transaction, jobId, ids)))
  const count = (standing: Standing) => standings.filter((one) => one === standing).length
  return { likely: count(2), maybe: count(1) }
}

/** As the job's account sees these requests; without a job, the shared view. */
async function readStandings(
  transaction: Transaction,
  jobId: string | null,
  ids: readonly string[],
): Promise<Standing[]> {
  const { rows } = await sql<{ standing: Standing }>`
    select coalesce(own.standing, requests.standing) as standing
    from requests left join account_requests as own on own.request_id = requests.id
      and own.account_id = (select account_id from scrape_jobs where scrape_jobs.id = ${jobId}::uuid)
    where requests.id = any(${ids}::uuid[])`.execute(transaction)
  return rows.map(({ standing }) => standing)
}
