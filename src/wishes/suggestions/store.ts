import { sql } from 'kysely'
import type { Database, Transaction } from '../../database/open.ts'

/** A request that placing compared, and another one whose wish may be the same. */
export interface SimilarPair {
  requestId: string
  otherId: string
  /** 0 to 1 */
  similarity: number
}

/**
 * By the votes of `one` and `other`, rows of `request_facets`; one more, so that pairs without votes are ordered by their similarity. Requests
 * of one day are mostly parts of one work: 17 of 116 that were read were the same, of others 70 of 274.
 */
const priority = sql`suggestion.similarity * (1 + greatest(one.votes, 0) + greatest(other.votes, 0))
  * case when abs(extract(epoch from one.posted_at - other.posted_at)) < 86400 then 0.5 else 1 end`

/**
 * Writes the pairs of requests that were placed, instead of those that were known of them. The locks of all of them are held, so that none is
 * deleted meanwhile; those that are gone are left out.
 */
export async function writeSuggestions(
  transaction: Transaction,
  requestIds: readonly string[],
  pairs: readonly SimilarPair[],
): Promise<void> {
  await sql`
    delete from wish_suggestions where one_id = any(${requestIds}::uuid[]) or other_id = any(${requestIds}::uuid[])`.execute(
    transaction,
  )
  if (pairs.length === 0) return
  await sql`
    insert into wish_suggestions (one_id, other_id, similarity, priority)
    select suggestion.one_id, suggestion.other_id, suggestion.similarity, ${priority}
    from (
      select distinct on (1, 2) least("requestId", "otherId") as one_id, greatest("requestId", "otherId") as other_id, similarity
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as pair ("requestId" uuid, "otherId" uuid, similarity real)
      order by 1, 2, similarity desc
    ) as suggestion
    join request_facets as one on one.request_id = suggestion.one_id
    join request_facets as other on other.request_id = suggestion.other_id
    order by 1, 2`.execute(transaction)
}

/** So many pairs at a time follow their votes. */
const maxRefreshed = 2_000

/** Brings the priority of pairs up to date whose votes changed since yesterday. @returns whether there may be more of them */
export async function refreshPriorities(database: Database): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update wish_suggestions as suggestion set priority = fresh.priority from (
      select suggestion_id, ${priority} as priority
      from (select distinct request_id from vote_samples where day >= current_date - 1) as changed
      join wish_suggestions as suggestion on request_id in (one_id, other_id)
      join request_facets as one on one.request_id = one_id
      join request_facets as other on other.request_id = other_id
      where priority is distinct from (${priority})::real limit ${sql.lit(maxRefreshed)}
    ) as fresh where suggestion.suggestion_id = fresh.suggestion_id`.execute(database)
  return numAffectedRows === BigInt(maxRefreshed)
}
