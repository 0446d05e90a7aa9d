import { sql } from 'kysely'
import type { PlatformName, RequestStatus } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import { requestConditions } from '../../requests/filters/conditions.ts'
import type { RequestFilters } from '../../requests/filters/filters.ts'
import { correctionHash } from '../../requests/store/standings.ts'
import { isShown, requestColumns, type View } from '../../requests/view.ts'
import { wishIdIn } from '../../requests/wish-numbers/membership.ts'
import type { ComparedRequest, Knowledge } from './compare.ts'

/**
 * Records the requests that a watch's jobs found. One known under another id had expired and returned: never news. The
 * request locks keep purges out, which delete this knowledge after the requests.
 */
export async function linkFoundRequests(
  transaction: Transaction,
  watchId: string,
  jobIds: readonly string[],
): Promise<void> {
  // In the order of purges.
  const { rows } = await sql<{ id: string; platform: PlatformName; source_id: string }>`
    select requests.id, requests.platform, requests.source_id
    from scrape_job_requests as link join requests on requests.id = link.request_id
    where link.job_id = any(${jobIds}::uuid[])
    order by requests.platform, requests.source_id for key share of requests`.execute(transaction)
  const found = new Map(rows.map(({ id, platform, source_id }) => [correctionHash(platform, source_id), id]))
  await sql`
    insert into watch_requests as known (watch_id, source_hash, request_id)
    select ${watchId}, source_hash, request_id
    from unnest(${[...found.keys()]}::text[], ${[...found.values()]}::uuid[]) as found (source_hash, request_id)
    on conflict (watch_id, source_hash) do update set request_id = excluded.request_id, is_present = false
      where known.request_id <> excluded.request_id`.execute(transaction)
}

interface ComparedRow {
  source_hash: string
  request_id: string
  votes: number | null
  status: RequestStatus | null
  wish_id: string
  is_present: boolean
  fits: boolean | null
  /** Null if outside view or filters. */
  present_id: string | null
  present_votes: number
  present_status: RequestStatus | null
  present_wish_id: string
  platform: PlatformName
  posted_at: Date
}

/** All that the watch knows, and its current state in the account's view and filters. */
export async function readComparedRequests(
  transaction: Transaction,
  { watchId, view, filters }: { watchId: string; view: View; filters: RequestFilters },
): Promise<ComparedRequest[]> {
  const conditions = [isShown({ ...view, least: 2 }, requestColumns), ...requestConditions(filters)]
  const { rows } = await sql<ComparedRow>`
    select known.source_hash, known.request_id, known.votes, known.status, known.wish_id, known.is_present, known.fits,
      requests.id as present_id, requests.votes as present_votes, requests.status as present_status,
      requests.platform, requests.posted_at, case when requests.id is not null then ${wishIdIn(view, requestColumns.id)} end as present_wish_id
    from watch_requests as known left join requests
      on requests.id = known.request_id and ${sql.join(conditions, sql` and `)}
    where known.watch_id = ${watchId}`.execute(transaction)
  return rows.map((row) => ({
    sourceHash: row.source_hash,
    requestId: row.request_id,
    known:
      row.votes === null
        ? null
        : { votes: row.votes, status: row.status, wishId: row.wish_id, wasPresent: row.is_present, fits: row.fits },
    now:
      row.present_id === null
        ? null
        : {
            votes: row.present_votes,
            status: row.present_status,
            wishId: row.present_wish_id,
            platform: row.platform,
            postedAt: row.posted_at,
          },
  }))
}

/** Updates the watch's knowledge, in the order of all writers. What a purge deleted stays deleted. */
export async function storeKnowledge(
  transaction: Transaction,
  watchId: string,
  knowledge: readonly Knowledge[],
): Promise<void> {
  if (knowledge.length === 0) return
  await sql`
    with locked as materialized (
      select source_hash as hash from watch_requests
      where watch_id = ${watchId} and source_hash = any(${knowledge.map(({ sourceHash }) => sourceHash)}::text[])
      order by watch_id, source_hash for update
    )
    update watch_requests as known set votes = fresh.votes, status = fresh.status, wish_id = fresh.wish_id,
      is_present = fresh.is_present, fits = fresh.fits
    from jsonb_to_recordset(${JSON.stringify(
      knowledge.map(({ sourceHash, votes, status, wishId, isPresent, fits }) => ({
        source_hash: sourceHash,
        votes,
        status,
        wish_id: wishId,
        is_present: isPresent,
        fits,
      })),
    )}::jsonb)
      as fresh (source_hash text, votes integer, status text, wish_id uuid, is_present boolean, fits boolean)
      join locked on locked.hash = fresh.source_hash
    where known.watch_id = ${watchId} and known.source_hash = fresh.source_hash`.execute(transaction)
}
