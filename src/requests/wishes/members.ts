import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { requestColumns, standingIn, type View } from '../views/view.ts'
import { wishIdIn } from './membership.ts'

export interface WishMember {
  id: string
  /** How alike it is to the core of its wish, 0 to 1; 1 for the core, and for what a person put there. */
  similarity: number
}

/** Where an account may have put other requests: its own placings, and what it merged into the wish. */
const ownCandidates = (account: string, wishId: string) => sql`
  union select request_id from account_wish_members where account_id = ${account}::uuid and wish_id = ${wishId}::uuid
  union select member.request_id from account_wish_merges as merge join wish_members as member using (wish_id)
    where merge.account_id = ${account}::uuid and merge.into_wish_id = ${wishId}::uuid
  union select wish_id from account_wish_merges where account_id = ${account}::uuid and into_wish_id = ${wishId}::uuid`

/**
 * The members of a wish that a view shows: the likely ones, which are counted, before those that `include` adds, the most alike and
 * the most voted first.
 */
export async function readMembers(
  executor: Executor,
  wishId: string,
  { view, except, limit }: { view: View; except: string; limit: number },
): Promise<WishMember[]> {
  const { account } = view
  const { rows } = await sql<WishMember>`
    with candidates as (
      select request_id as id from wish_members where wish_id = ${wishId}::uuid
      union select ${wishId}::uuid
      ${account === null ? sql`` : ownCandidates(account, wishId)}
    )
    select requests.id, coalesce(member.similarity, 1)::float8 as similarity
    from candidates join requests using (id)
      left join wish_members as member on member.request_id = requests.id
      cross join lateral (select ${standingIn(view, requestColumns)} as standing offset 0) as seen
    where requests.id <> ${except}::uuid and seen.standing >= ${sql.lit(view.least)}
      and ${wishIdIn(view, requestColumns.id)} = ${wishId}::uuid
    order by seen.standing desc, similarity desc, requests.votes desc, requests.id
    limit ${limit}`.execute(executor)
  return rows
}
