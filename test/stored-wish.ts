import { sql } from 'kysely'
import type { Executor } from '../src/database/open.ts'

/**
 * Makes one shared wish of some requests, the first of which is its core.
 * @param similarity how alike the others are to the core
 */
export async function makeWish(executor: Executor, ids: readonly string[], similarity = 0.8): Promise<string> {
  const wishId = crypto.randomUUID()
  await sql`insert into wishes (id) values (${wishId})`.execute(executor)
  await sql`
    insert into wish_members (request_id, wish_id, is_core, similarity)
    select id, ${wishId}, position = 1, case when position > 1 then ${similarity}::real end
    from unnest(${[...ids]}::uuid[]) with ordinality as member (id, position)
    on conflict (request_id) do update set wish_id = excluded.wish_id, is_core = excluded.is_core,
      similarity = excluded.similarity`.execute(executor)
  await sql`
    update wishes set requests = counted.requests, votes = counted.votes, platforms = counted.platforms,
      first_asked_at = counted.first, last_asked_at = counted.last, top_request_id = counted.top
    from (
      select count(*) as requests, coalesce(sum(votes), 0) as votes,
        coalesce(array_agg(distinct platform order by platform), '{}') as platforms, min(posted_at) as first,
        max(posted_at) as last, (array_agg(id order by votes desc, id))[1] as top
      from requests join wish_members on request_id = id where wish_id = ${wishId} and standing = 2
    ) as counted where wishes.id = ${wishId}`.execute(executor)
  return wishId
}
