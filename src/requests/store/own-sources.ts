import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import { correctionHash, recomputeStandings } from '../views/standings.ts'
import type { FoundPage } from './prepared-page.ts'
import type { StoredRequest } from './upsert.ts'

/** Which of these new requests were corrected before they were deleted. @returns their ids. */
async function findCorrected(transaction: Transaction, { platform }: FoundPage, created: readonly StoredRequest[]) {
  if (created.length === 0) return []
  const idOf = new Map(created.map(({ id, source_id }) => [correctionHash(platform, source_id), id]))
  const { rows } = await sql<{ source_hash: string }>`
    select distinct source_hash from request_corrections where source_hash = any(${[...idOf.keys()]}::text[])`.execute(
    transaction,
  )
  return rows.flatMap(({ source_hash }) => idOf.get(source_hash) ?? [])
}

/** Notes where unlisted requests were found. @returns the ids of those that were not known from there. */
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

/**
 * Brings the standings of the requests of a page up to date, and returns the ids of those that it computed. A request that only sources of accounts have is unlisted; one that a page
 * of the operator's sources has is listed from then on, and never unlisted again.
 */
export async function settleStandings(
  transaction: Transaction,
  page: FoundPage,
  stored: ReadonlyMap<string, StoredRequest>,
): Promise<ReadonlySet<string>> {
  const rows = [...stored.values()]
  const affected = new Set(rows.filter(({ reclassified }) => reclassified).map(({ id }) => id))
  const foundInOwn: { id: string; source: string }[] = []
  const nowListed: string[] = []
  for (const { request, relevance } of page.requests) {
    const row = stored.get(request.sourceId)
    if (row === undefined || relevance === 'offTopic') continue
    const isUnlisted = row.before === null ? request.ownSource !== null : row.before.standing === -1
    if (!isUnlisted) continue
    if (request.ownSource === null) nowListed.push(row.id)
    else foundInOwn.push({ id: row.id, source: request.ownSource })
  }
  for (const id of await noteSources(transaction, page.platform, foundInOwn)) affected.add(id)
  if (nowListed.length > 0) {
    await sql`delete from request_sources where request_id = any(${nowListed}::uuid[])`.execute(transaction)
    for (const id of nowListed) affected.add(id)
  }
  const created = rows.filter((row) => row.maybe_corrected)
  for (const id of await findCorrected(transaction, page, created)) affected.add(id)
  await recomputeStandings(transaction, [...affected])
  return affected
}
