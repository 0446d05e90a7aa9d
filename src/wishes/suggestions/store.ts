import { sql } from 'kysely'
import type { Database, Transaction } from '../../database/open.ts'

/** A request that placing compared, and another whose wish may be the same. */
export interface SimilarPair {
  requestId: string
  otherId: string
  /** 0 to 1 */
  similarity: number
}

/** The votes of the shared wish of a row of `request_facets`. */
const wishVotes = (row: 'one' | 'other') => {
  const [id, votes] = [sql.ref(`${row}.request_id`), sql.ref(`${row}.votes`)]
  return sql`greatest(coalesce(
    (select wishes.votes from wish_members join wishes on id = wish_id where wish_members.request_id = ${id}), ${votes}), 0)`
}

/** Similarity times votes plus one; half for requests of one day, which are mostly parts of one work. */
const priority = sql`(suggestion.similarity * (1 + ${wishVotes('one')} + ${wishVotes('other')})
  * case when abs(extract(epoch from one.posted_at - other.posted_at)) < 86400 then 0.5 else 1 end)::real`

/**
 * Replaces the pairs that placed requests found. Keeps pairs found by others, and a model's answer if the similarity is
 * unchanged. Their locks must be held; deleted requests are skipped.
 */
export async function writeSuggestions(
  transaction: Transaction,
  requestIds: readonly string[],
  pairs: readonly SimilarPair[],
): Promise<void> {
  const found = sql`
    select distinct on (1, 2) least("requestId", "otherId") as one_id, greatest("requestId", "otherId") as other_id,
      "requestId" as found_by, similarity
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as pair ("requestId" uuid, "otherId" uuid, similarity real)
    order by 1, 2, similarity desc`
  await sql`
    delete from wish_suggestions as stored
    where (one_id = any(${requestIds}::uuid[]) or other_id = any(${requestIds}::uuid[])) and found_by = any(${requestIds}::uuid[])
      and not exists (select from (${found}) as found where found.one_id = stored.one_id and found.other_id = stored.other_id)`.execute(
    transaction,
  )
  if (pairs.length === 0) return
  const isAsBefore = sql`stored.similarity = excluded.similarity`
  await sql`
    insert into wish_suggestions as stored (one_id, other_id, found_by, similarity, priority)
    select suggestion.one_id, suggestion.other_id, suggestion.found_by, suggestion.similarity, ${priority}
    from (${found}) as suggestion
    join request_facets as one on one.request_id = suggestion.one_id
    join request_facets as other on other.request_id = suggestion.other_id
    order by 1, 2
    on conflict (one_id, other_id) do update set similarity = excluded.similarity, priority = excluded.priority,
      judged_same = case when ${isAsBefore} then stored.judged_same end,
      claimed_until = case when ${isAsBefore} then stored.claimed_until end`.execute(transaction)
}

const maxRefreshed = 2_000

/** Updates the priority of pairs whose wishes changed since yesterday. @returns whether there may be more. */
export async function refreshPriorities(database: Database): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update wish_suggestions as suggestion set priority = fresh.priority from (
      select suggestion_id, ${priority} as priority
      from (
        with voted as (select distinct request_id from vote_samples where day >= current_date - 1)
        select request_id from voted
        union select request_id from wish_members where wish_id in (
          select wish_id from wish_members where joined_at >= current_date - 1 or request_id in (select request_id from voted))
      ) as changed
      join wish_suggestions as suggestion on request_id in (one_id, other_id)
      join request_facets as one on one.request_id = one_id
      join request_facets as other on other.request_id = other_id
      where priority is distinct from ${priority} limit ${sql.lit(maxRefreshed)}
    ) as fresh where suggestion.suggestion_id = fresh.suggestion_id`.execute(database)
  return numAffectedRows === BigInt(maxRefreshed)
}
