import { sql } from 'kysely'
import type { Database, Executor } from '../../database/open.ts'
import type { Verified, VerifyOptions, WrongNumber } from '../../requests/wrong-number.ts'

interface WrongCount {
  topicKey: string
  /** `total`, `maybe`, `platform`, `day`, `tag`, or `link` for a row of `request_topics` unlike its request. */
  kind: string
  value: string
  stored: { requests: number; votes: number }
  counted: { requests: number; votes: number }
}

const isAmong = (keys: readonly string[] | null) =>
  keys === null ? sql`true` : sql`topic_key = any(${[...keys]}::text[])`

const linked = (standing: 1 | 2, keys: readonly string[] | null) => sql`
  select topic_key, requests.platform, requests.posted_at, requests.votes, requests.tags
  from request_topics join requests on requests.id = request_id
  where requests.standing = ${sql.lit(standing)} and ${isAmong(keys)}`

/** Recounts topics (null: all) in one snapshot, reading all requests. @returns up to `limit` wrong counts. */
export async function findWrongCounts(
  executor: Executor,
  limit = 100,
  keys: readonly string[] | null = null,
): Promise<WrongCount[]> {
  const { rows } = await sql<WrongCount>`
    with linked as materialized (${linked(2, keys)}),
    may_be as materialized (${linked(1, keys)}),
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
      from (select * from stored where ${isAmong(keys)}) as stored full join counted using (topic_key, kind, value)
      union all
      select topic_key, 'link', request_id::text, 0, 0, 1, requests.votes
      from request_topics as link join requests on requests.id = request_id
      where ${isAmong(keys)} and (link.platform, link.posted_at, link.votes, link.tags, link.standing)
        is distinct from (requests.platform, requests.posted_at, requests.votes, requests.tags, requests.standing)
    )
    select topic_key as "topicKey", kind, value,
      json_build_object('requests', stored_requests, 'votes', stored_votes) as stored,
      json_build_object('requests', requests, 'votes', votes) as counted
    from compared where (stored_requests, stored_votes) is distinct from (requests, votes)
    order by topic_key, kind, value limit ${limit}`.execute(executor)
  return rows
}

/** The most topics per statement, and their most requests together, unless a single topic has more. */
const maxTopics = 200
const maxRequests = 5_000

/** The next topics, including those with only counts left. */
async function readTopics(database: Database, after: string): Promise<{ key: string; size: number }[]> {
  const { rows } = await sql<{ key: string; size: number }>`
    select key, coalesce(requests + maybe, 0) as size from (
      (select key from topics where key > ${after} order by key limit ${sql.lit(maxTopics)})
      union
      (select distinct topic_key from topic_counts where topic_key > ${after} order by topic_key limit ${sql.lit(maxTopics)})
    ) as named left join topics using (key) order by key limit ${sql.lit(maxTopics)}`.execute(database)
  return rows
}

const describeCount = ({ requests, votes }: WrongCount['stored']) => `${requests} requests, ${votes} votes`

const toWrongNumber = ({ topicKey, kind, value, stored, counted }: WrongCount): WrongNumber => ({
  subject: `topic ${topicKey}`,
  check: value === '' ? kind : `${kind} ${value}`,
  stored: describeCount(stored),
  expected: describeCount(counted),
})

/** Recounts every topic, some thousand requests per snapshot, so that concurrent writes are no differences. */
export async function verifyTopics(database: Database, { limit, signal }: VerifyOptions): Promise<Verified> {
  const wrong: WrongNumber[] = []
  const check = async (keys: readonly string[]) => {
    const found = await findWrongCounts(database, limit - wrong.length, keys)
    wrong.push(...found.map(toWrongNumber))
  }
  for (let after = ''; wrong.length < limit; ) {
    signal?.throwIfAborted()
    const topics = await readTopics(database, after)
    const last = topics.at(-1)
    if (last === undefined) break
    let [keys, size]: [string[], number] = [[], 0]
    for (const topic of topics) {
      if (keys.length > 0 && size + topic.size > maxRequests) {
        await check(keys)
        ;[keys, size] = [[], 0]
      }
      keys.push(topic.key)
      size += topic.size
    }
    await check(keys)
    after = last.key
  }
  return { wrong: wrong.slice(0, limit), unchecked: 0 }
}
