import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { requestColumns, standingIn, type View } from '../../requests/views/view.ts'
import { allMembers } from '../../requests/wishes/membership.ts'

export interface WishMember {
  id: string
  /** How alike it is to the core of its wish, 0 to 1; 1 for the core, and for what a person put there. */
  similarity: number
}

/**
 * The members of a wish that a view shows: the likely ones, which are counted, before those that `include` adds, the most alike and
 * the most voted first.
 */
export async function readMembers(
  executor: Executor,
  wishId: string,
  { view, except, limit }: { view: View; except: string; limit: number },
): Promise<WishMember[]> {
  const { rows } = await sql<WishMember>`
    select requests.id, coalesce(member.similarity, 1)::float8 as similarity
    from (${allMembers(view.account, sql`${wishId}::uuid`)}) as placed join requests on requests.id = placed.request_id
      left join wish_members as member on member.request_id = requests.id
      cross join lateral (select ${standingIn(view, requestColumns)} as standing offset 0) as seen
    where requests.id <> ${except}::uuid and seen.standing >= ${sql.lit(view.least)}
    order by seen.standing desc, similarity desc, requests.votes desc, requests.id
    limit ${limit}`.execute(executor)
  return rows
}
