import { sql } from 'kysely'
import { standings } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import { placeAgain } from '../wish-numbers/recount.ts'
import type { FoundPage } from './prepared-page.ts'
import {
  correctionHash,
  type FreshRequest,
  readStrictAccounts,
  recomputeStandings,
  standingOfConfidence,
  viewFresh,
} from './standings.ts'
import { topicName } from './topic-counts.ts'
import { unlinkUnlisted } from './topic-links.ts'
import type { StoredRequest } from './upsert.ts'

/** The accounts' sources in a page. */
export const sourcesOf = ({ platform, requests }: FoundPage): { platform: string; source: string }[] =>
  [...new Set(requests.flatMap(({ request }) => request.ownSource ?? []))].map((source) => ({ platform, source }))

/** Whether storing this page revives corrections of requests that are not stored, which changes what they refer to. */
export async function bringsBackCorrected(
  transaction: Transaction,
  { platform, requests }: FoundPage,
): Promise<boolean> {
  const { rows } = await sql<{ corrected: boolean }>`
    select exists (select from request_corrections) or exists (select from wish_placings) as corrected`.execute(
    transaction,
  )
  if (!rows[0]!.corrected) return false
  const hashes = requests.map(({ request }) => correctionHash(platform, request.sourceId))
  const isGone = sql`source_hash = any(${hashes}::text[]) and not exists (select from requests where requests.id = request_id)`
  const { rows: gone } = await sql`
    select from request_corrections where ${isGone} union all select from wish_placings where ${isGone} limit 1`.execute(
    transaction,
  )
  return gone.length > 0
}

/** Relinks corrections made before these requests were deleted and stored again. */
async function linkCorrected(transaction: Transaction, { platform }: FoundPage, created: readonly StoredRequest[]) {
  if (created.length === 0) return { corrected: [], placed: [] }
  const idOf = new Map(created.map(({ id, source_id }) => [correctionHash(platform, source_id), id]))
  const placed = await placeAgain(transaction, idOf)
  const { rows } = await sql<{ id: string }>`
    update request_corrections set request_id = fresh.id
    from unnest(${[...idOf.keys()]}::text[], ${[...idOf.values()]}::uuid[]) as fresh (hash, id) where source_hash = fresh.hash
    returning fresh.id`.execute(transaction)
  return { corrected: rows.map(({ id }) => id), placed }
}

/** Records the sources of unlisted requests. @returns ids of requests not known from there before. */
async function noteSources(
  transaction: Transaction,
  platform: string,
  found: readonly { id: string; source: string }[],
) {
  if (found.length === 0) return []
  const { rows } = await sql<{ request_id: string }>`
    insert into request_sources (platform, source, request_id)
    select ${platform}, source, id from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as found (id uuid, source text)
    on conflict do nothing returning request_id`.execute(transaction)
  return rows.map(({ request_id }) => request_id)
}

/** Which of these requests the account of the page's job already saw; none without a job. */
async function readSeen(transaction: Transaction, { jobId }: FoundPage, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select request_id as id from account_requests where request_id = any(${[...ids]}::uuid[])
      and account_id = (select account_id from scrape_jobs where scrape_jobs.id = ${jobId}::uuid)`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** Lists requests as if newly found: nobody may learn when, and for which topic, an account collected them. */
async function list(transaction: Transaction, { topic, now }: FoundPage, ids: readonly string[]): Promise<void> {
  await sql`delete from request_sources where request_id = any(${[...ids]}::uuid[])`.execute(transaction)
  await unlinkUnlisted(transaction, ids)
  await sql`
    update requests set topic = ${topicName(topic)}, created_at = ${now}, updated_at = ${now},
      status_changed_at = case when status_observed then null else status_changed_at end, status_observed = false
    where id = any(${[...ids]}::uuid[])`.execute(transaction)
}

/** New requests that strict accounts, if any, see in another class. */
async function readDiffering(
  transaction: Transaction,
  { platform, requests }: FoundPage,
  stored: ReadonlyMap<string, StoredRequest>,
): Promise<string[]> {
  const differing = requests.flatMap(({ request, confidence }) => {
    const row = stored.get(request.sourceId)
    const isSame = standingOfConfidence(confidence, platform) === standingOfConfidence(confidence, platform, 'strict')
    return row?.created && !isSame ? [row.id] : []
  })
  return differing.length > 0 && (await readStrictAccounts(transaction)).size > 0 ? differing : []
}

export interface SettledStandings {
  /** Ids of requests whose class depends on more than the page. */
  computed: ReadonlySet<string>
  /** The subset that is new, unlisted and without stored corrections. */
  fresh: ReadonlySet<string>
  /** Unlisted requests that this page lists and that the account of its job had not seen. */
  appeared: ReadonlySet<string>
}

/** Updates a page's standings: unlisted if only in accounts' sources, listed for good once in the operator's. */
export async function settleStandings(
  transaction: Transaction,
  page: FoundPage,
  stored: ReadonlyMap<string, StoredRequest>,
): Promise<SettledStandings> {
  const rows = [...stored.values()]
  const computed = new Set(rows.filter(({ reclassified }) => reclassified).map(({ id }) => id))
  const { corrected, placed } = await linkCorrected(
    transaction,
    page,
    rows.filter((row) => row.maybe_corrected),
  )
  for (const id of corrected) computed.add(id)
  const judged = new Set([...corrected, ...placed])
  const foundInOwn: { id: string; source: string }[] = []
  const fresh: FreshRequest[] = []
  const nowListed: string[] = []
  for (const { request, relevance, confidence } of page.requests) {
    const row = stored.get(request.sourceId)
    if (row === undefined || relevance === 'offTopic') continue
    const isUnlisted = row.before === null ? request.ownSource !== null : row.before.standing === standings.unlisted
    if (!isUnlisted) continue
    if (request.ownSource === null) nowListed.push(row.id)
    else foundInOwn.push({ id: row.id, source: request.ownSource })
    if (row.created && !judged.has(row.id) && request.ownSource !== null)
      fresh.push({ id: row.id, platform: page.platform, source: request.ownSource, confidence })
  }
  for (const id of await noteSources(transaction, page.platform, foundInOwn)) computed.add(id)
  const appeared = new Set(nowListed)
  if (nowListed.length > 0) {
    for (const id of await readSeen(transaction, page, nowListed)) appeared.delete(id)
    await list(transaction, page, nowListed)
    for (const id of nowListed) computed.add(id)
  }
  for (const id of await readDiffering(transaction, page, stored)) computed.add(id)
  // Both lock accounts by id, so a page does only one of the two.
  const areAllFresh = computed.size === fresh.length
  if (areAllFresh) await viewFresh(transaction, fresh)
  else await recomputeStandings(transaction, [...computed])
  return { computed, fresh: new Set(areAllFresh ? fresh.map(({ id }) => id) : []), appeared }
}
