import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'

/** A count that is not what the requests say. */
export interface WrongCount {
  topicKey: string
  /** `total`, `platform`, `day`, `tag`, or `link` for requests whose columns in the topic are not their own. */
  kind: string
  value: string
  kept: { requests: number; votes: number }
  counted: { requests: number; votes: number }
}

const linked = sql`
  select topic_key, requests.platform, requests.posted_at, requests.votes, requests.tags
  from request_topics join requests on requests.id = request_id`

/**
 * Counts every topic anew and compares. It reads all requests: for checks and tests, not while people wait.
 * @returns what is wrong, at most `limit` of it; empty when all is well.
 */
export async function findWrongCounts(executor: Executor, limit = 100): Promise<WrongCount[]> {
  const { rows } = await sql<WrongCount>`
    with linked as materialized (${linked}),
    counted as (
      select topic_key, 'total' as kind, '' as value, count(*) as requests, sum(votes) as votes from linked group by 1
      union all
      select topic_key, 'platform', platform, count(*), sum(votes) from linked group by 1, 3
      union all
      select topic_key, 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), count(*), 0 from linked group by 1, 3
      union all
      select topic_key, 'tag', tag, count(*), 0
        from linked, lateral (select distinct unnest(tags) as tag) as own group by 1, 3
    ),
    kept as (
      select key as topic_key, 'total' as kind, '' as value, requests, votes from topics where requests <> 0 or votes <> 0
      union all
      select topic_key, kind, value, requests, votes from topic_counts
    ),
    compared as (
      select topic_key, kind, value,
        coalesce(kept.requests, 0) as kept_requests, coalesce(kept.votes, 0) as kept_votes,
        coalesce(counted.requests, 0) as requests, coalesce(counted.votes, 0) as votes
      from kept full join counted using (topic_key, kind, value)
      union all
      select topic_key, 'link', request_id::text, 0, 0, 1, requests.votes
      from request_topics as link join requests on requests.id = request_id
      where (link.platform, link.posted_at, link.votes, link.tags)
        is distinct from (requests.platform, requests.posted_at, requests.votes, requests.tags)
    )
    select topic_key as "topicKey", kind, value,
      json_build_object('requests', kept_requests, 'votes', kept_votes) as kept,
      json_build_object('requests', requests, 'votes', votes) as counted
    from compared where (kept_requests, kept_votes) is distinct from (requests, votes)
    order by topic_key, kind, value limit ${limit}`.execute(executor)
  return rows
}
