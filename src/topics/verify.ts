import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'

/** A stored count that differs from the requests. */
export interface WrongCount {
  topicKey: string
  /** `total`, `maybe`, `platform`, `day`, `tag`, or `link` for a row of `request_topics` that differs from its request. */
  kind: string
  value: string
  stored: { requests: number; votes: number }
  counted: { requests: number; votes: number }
}

const linked = (standing: 1 | 2) => sql`
  select topic_key, requests.platform, requests.posted_at, requests.votes, requests.tags
  from request_topics join requests on requests.id = request_id where requests.standing = ${sql.lit(standing)}`

/**
 * Counts every topic again and compares: the counts with what is not folded into them yet. It reads all requests: for checks and tests, not for callers that wait.
 * @returns the wrong counts, at most `limit`; empty when all are right.
 */
export async function findWrongCounts(executor: Executor, limit = 100): Promise<WrongCount[]> {
  const { rows } = await sql<WrongCount>`
    with linked as materialized (${linked(2)}),
    may_be as materialized (${linked(1)}),
    counted as (
      select topic_key, 'total' as kind, '' as value, count(*) as requests, sum(votes) as votes from linked group by 1
      union all
      select topic_key, 'maybe', '', count(*), 0 from may_be group by 1
      union all
      select topic_key, 'platform', platform, count(*), sum(votes) from linked group by 1, 3
      union all
      select topic_key, 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), count(*), 0 from linked group by 1, 3
      union all
      select topic_key, 'tag', tag, count(*), 0
        from linked, lateral (select distinct unnest(tags) as tag) as own group by 1, 3
    ),
    known as (
      select key as topic_key, 'total' as kind, '' as value, requests, votes from topics
      union all
      select key, 'maybe', '', maybe, 0 from topics
      union all
      select topic_key, kind, value, requests, votes from topic_counts
      union all
      select topic_key, 'total', '', requests, votes from topic_deltas
      union all
      select topic_key, 'maybe', '', maybe, 0 from topic_deltas
      union all
      select topic_key, part.* from topic_deltas
        cross join lateral unnest(kinds, parts, part_requests, part_votes) as part (kind, value, requests, votes)
    ),
    stored as (
      select topic_key, kind, value, sum(requests) as requests, sum(votes) as votes from known group by 1, 2, 3
      having sum(requests) <> 0 or sum(votes) <> 0
    ),
    compared as (
      select topic_key, kind, value,
        coalesce(stored.requests, 0) as stored_requests, coalesce(stored.votes, 0) as stored_votes,
        coalesce(counted.requests, 0) as requests, coalesce(counted.votes, 0) as votes
      from stored full join counted using (topic_key, kind, value)
      union all
      select topic_key, 'link', request_id::text, 0, 0, 1, requests.votes
      from request_topics as link join requests on requests.id = request_id
      where (link.platform, link.posted_at, link.votes, link.tags, link.standing)
        is distinct from (requests.platform, requests.posted_at, requests.votes, requests.tags, requests.standing)
    )
    select topic_key as "topicKey", kind, value,
      json_build_object('requests', stored_requests, 'votes', stored_votes) as stored,
      json_build_object('requests', requests, 'votes', votes) as counted
    from compared where (stored_requests, stored_votes) is distinct from (requests, votes)
    order by topic_key, kind, value limit ${limit}`.execute(executor)
  return rows
}
