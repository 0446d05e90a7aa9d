import { type RawBuilder, sql } from 'kysely'
import type { PlatformName, RequestStatus } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { type RequestRecord, readRequests } from '../requests/record.ts'
import type { View } from '../requests/views/view.ts'
import { wishIdIn } from '../requests/wishes/membership.ts'
import { readWishNumbers } from '../requests/wishes/numbers.ts'

/** Of how many of a topic's most voted requests the wishes are ranked, and how many wishes are shown. */
const rankedRequests = 5_000
const shownWishes = 20

/** A wish of a topic, with the numbers of the whole wish: also of its requests that other topics found. */
export interface TopicWish {
  wishId: string
  /** Its most telling request, whose title is that of the wish. */
  request: RequestRecord
  votes: number
  requests: number
  platforms: PlatformName[]
  /** Of the wish, not of its most telling request alone. */
  status: RequestStatus | null
}

/** The likely requests of a topic in a view, the most voted first. */
function likelyOfTopic(key: string, { account }: View): RawBuilder<unknown> {
  const shared = sql`
    select request_id, votes from request_topics where topic_key = ${key} and standing = 2
    order by votes desc, request_id desc limit ${sql.lit(rankedRequests)}`
  if (account === null) return shared
  // Read from both sides, so that each part has an index: what all see as likely, and what only the account does.
  const isDifferent = sql`exists (select from account_requests as own
    where own.account_id = ${account}::uuid and own.request_id = request_topics.request_id and own.standing <> 2)`
  return sql`
    select * from (
      select request_id, votes from request_topics where topic_key = ${key} and standing = 2 and not ${isDifferent}
      order by votes desc, request_id desc limit ${sql.lit(rankedRequests)}
    ) as shared
    union all
    select request_id, votes from account_requests as own join request_topics using (request_id)
    where own.account_id = ${account}::uuid and own.standing = 2 and topic_key = ${key} and request_topics.standing <> 2`
}

/** The ids of the most voted wishes that have one of the most voted requests of a topic. */
async function rankWishes(executor: Executor, key: string, view: View): Promise<string[]> {
  const { account } = view
  const own =
    account === null
      ? sql`select null::uuid as wish_id, 0 as requests, 0 as votes where false`
      : sql`select wish_id, requests, votes from account_wishes where account_id = ${account}::uuid`
  const { rows } = await sql<{ wish_id: string }>`
    with linked as (${likelyOfTopic(key, view)}),
    placed as materialized (
      select ${wishIdIn(view, sql.ref('linked.request_id'))} as wish_id, max(votes) as votes from linked group by 1
    )
    select placed.wish_id from placed
      left join wishes on wishes.id = placed.wish_id and wishes.requests > 0
      left join (${own}) as own on own.wish_id = placed.wish_id
    order by coalesce(own.votes, wishes.votes, placed.votes) desc, placed.wish_id
    limit ${sql.lit(shownWishes)}`.execute(executor)
  return rows.map(({ wish_id: wishId }) => wishId)
}

/** The most voted wishes of a topic in a view. */
export async function readTopicWishes(executor: Executor, key: string, view: View): Promise<TopicWish[]> {
  const likely: View = { ...view, least: 2 }
  const numbers = [...(await readWishNumbers(executor, await rankWishes(executor, key, likely), likely)).values()]
  const tops = await readRequests(
    executor,
    numbers.map(({ topRequestId }) => topRequestId),
    { fullText: false, view: likely },
  )
  const topOf = new Map(tops.map((request) => [request._id, request]))
  return numbers
    .flatMap(({ wishId, votes, requestCount: requests, platforms, status, topRequestId }) => {
      const request = topOf.get(topRequestId)
      return request === undefined ? [] : [{ wishId, request, votes, requests, platforms, status }]
    })
    .sort((a, b) => b.votes - a.votes || (a.wishId < b.wishId ? -1 : 1))
}
