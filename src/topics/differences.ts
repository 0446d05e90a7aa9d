import { type RawBuilder, sql } from 'kysely'
import type { View } from '../requests/views/view.ts'

/** The links of requests to topics that an account sees in another class, and what that changes: 1, 0 or -1. */
const changesOf = ({ account }: View, keys: readonly string[] | null): RawBuilder<unknown> => sql`
  select link.topic_key, link.platform, link.posted_at, link.votes, link.tags,
    link.standing = -1 as unlisted, (own.standing = 2)::integer - (link.standing = 2)::integer as requests,
    (own.standing = 1)::integer - (link.standing = 1)::integer as maybe
  from account_requests as own join request_topics as link on link.request_id = own.request_id
  where own.account_id = ${account}::uuid and own.standing <> link.standing
    ${keys === null ? sql`` : sql`and link.topic_key = any(${[...keys]}::text[])`}`

/**
 * A query for what the differences of a view's account change in the counts of topics, with the columns of `topics`, and `own`: whether the account has
 * requests in it that others do not see; no rows for the shared view. The work grows with the differences of the account, not with the topics.
 * @param keys of the topics; null for all that the account sees differently.
 */
export const topicChanges = (view: View, keys: readonly string[] | null): RawBuilder<unknown> =>
  view.account === null
    ? sql`select null::text as key, 0 as requests, 0::bigint as votes, 0 as maybe, false as own where false`
    : sql`select topic_key as key, sum(requests)::integer as requests, sum(requests * votes::bigint)::bigint as votes,
        sum(maybe)::integer as maybe, bool_or(unlisted) as own
        from (${changesOf(view, keys)}) as changes group by topic_key`

/** The same in the counts of `topic_counts`: by platform, UTC day of posting and tag. */
export const countChanges = (view: View, keys: readonly string[]): RawBuilder<unknown> =>
  view.account === null
    ? sql`select null::text as topic_key, null::text as kind, null::text as value, 0 as requests, 0::bigint as votes where false`
    : sql`select topic_key, kind, value, sum(requests)::integer as requests, sum(parts.votes)::bigint as votes
        from (${changesOf(view, keys)}) as changes, lateral (
          select 'platform' as kind, platform as value, requests * changes.votes::bigint as votes
          union all select 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), 0
          union all select distinct 'tag', tag, 0 from unnest(tags) as tag
        ) as parts (kind, value, votes)
        where requests <> 0 group by topic_key, kind, value having sum(requests) <> 0 or sum(parts.votes) <> 0`
