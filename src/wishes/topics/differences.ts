import { type RawBuilder, sql } from 'kysely'
import type { View } from '../../requests/view.ts'

/** The topic links of requests that an account sees in another class, with the resulting changes: 1, 0 or -1. */
const changesOf = ({ account }: View, keys: readonly string[] | null): RawBuilder<unknown> => sql`
  select link.topic_key, link.platform, link.posted_at, link.votes, link.tags,
    link.standing = -1 as unlisted, (own.standing = 2)::integer - (link.standing = 2)::integer as requests,
    (own.standing = 1)::integer - (link.standing = 1)::integer as maybe
  from account_requests as own join request_topics as link on link.request_id = own.request_id
  where own.account_id = ${account}::uuid and own.standing <> link.standing
    ${keys === null ? sql`` : sql`and link.topic_key = any(${[...keys]}::text[])`}`

const ofKeys = (keys: readonly string[] | null) =>
  keys === null ? sql`` : sql`where topic_key = any(${[...keys]}::text[])`

/**
 * A query for what to add to the counts of topics: unfolded differences and those of the view's account. `own`: whether
 * the account alone sees some of its requests.
 * @param keys of the topics; null for all that change
 */
export const topicChanges = (view: View, keys: readonly string[] | null): RawBuilder<unknown> => {
  const unfolded = sql`select topic_key, requests, votes, maybe, false as unlisted from topic_deltas ${ofKeys(keys)}`
  const ofAccount = sql`union all select topic_key, requests, requests * votes::bigint, maybe, unlisted
    from (${changesOf(view, keys)}) as different`
  return sql`select topic_key as key, sum(requests)::integer as requests, sum(votes)::bigint as votes,
    sum(maybe)::integer as maybe, bool_or(unlisted) as own
    from (${unfolded} ${view.account === null ? sql`` : ofAccount}) as changes group by topic_key`
}

/** The same for `topic_counts`: by platform, UTC day and tag. */
export const countChanges = (view: View, keys: readonly string[]): RawBuilder<unknown> => {
  const unfolded = sql`select topic_key, part.* from topic_deltas
    cross join lateral unnest(kinds, parts, part_requests, part_votes) as part (kind, value, requests, votes) ${ofKeys(keys)}`
  const ofAccount = sql`union all select topic_key, kind, value, requests, parts.votes
    from (${changesOf(view, keys)}) as different, lateral (
      select 'platform' as kind, platform as value, requests * different.votes::bigint as votes
      union all select 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), 0
      union all select distinct 'tag', tag, 0 from unnest(tags) as tag
    ) as parts (kind, value, votes) where requests <> 0`
  return sql`select topic_key, kind, value, sum(requests)::integer as requests, sum(votes)::bigint as votes
    from (${unfolded} ${view.account === null ? sql`` : ofAccount}) as changes
    group by topic_key, kind, value having sum(requests) <> 0 or sum(votes) <> 0`
}
