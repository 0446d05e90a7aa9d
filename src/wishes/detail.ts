import { sql } from 'kysely'
import type { PlatformName, RequestStatus } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { cursorsOf, isPositionId, isPositionNumber, type PageInput, pageIn } from '../http/pagination.ts'
import { importPlatform, votesOf } from '../platforms/registry.ts'
import { type RequestRecord, readRequests } from '../requests/record.ts'
import { type Period, timelineOf } from '../requests/timeline.ts'
import type { View } from '../requests/view.ts'
import { membersIn } from '../requests/wish-numbers/membership.ts'
import { readWishIds } from '../requests/wish-numbers/numbers.ts'
import { modelName } from './corrections/corrections.ts'
import type { PossiblySame } from './list/possibly-same.ts'
import { readWishes, type WishSummary } from './list/summary.ts'

export interface WishDetail extends WishSummary {
  statuses: { status: RequestStatus | null; requests: number }[]
  votesByPlatform: { platform: PlatformName; requests: number; votes: number; votesAre: string | null }[]
  products: { product: string; requests: number; votes: number }[]
  /** The share (0 to 1) of all votes that its most voted request has; null without votes. */
  largestShare: number | null
  /** Whether a model merged some of its requests, without an undo. */
  isMergedByModel: boolean
  topics: { topic: string; requests: number }[]
  timeline: Period[]
  members: { results: RequestRecord[]; hasMore: boolean; cursor: string | null }
  possiblySame: (WishSummary & { similarity: number })[]
}

interface DetailInput extends PageInput {
  wishId: string
  view: View
  now: Date
  possiblySame: PossiblySame
}

const shownTopics = 20
const shownPossiblySame = 5
const shownProducts = 20

const members = ({ wishId, view }: DetailInput) => membersIn(view, sql`${wishId}::uuid`)

interface Breakdowns {
  statuses: WishDetail['statuses']
  platforms: { platform: PlatformName; requests: number; votes: number }[]
  products: WishDetail['products']
  most_votes: number
  is_merged_by_model: boolean
  topics: WishDetail['topics']
  days: { day: string; requests: number }[]
}

/** Counts the likely members, without imported ones. They show all their topics, even unlisted names. */
async function readBreakdowns(executor: Executor, input: DetailInput): Promise<Breakdowns> {
  const { rows } = await sql<Breakdowns>`
    with member as materialized (select * from (${members(input)}) as member where platform <> ${importPlatform})
    select
      (select coalesce(json_agg(json_build_object('status', status, 'requests', requests) order by requests desc, status nulls last), '[]')
        from (select status, count(*) as requests from member group by status) as counted) as statuses,
      (select coalesce(json_agg(json_build_object('platform', platform, 'requests', requests, 'votes', votes)
          order by votes desc, requests desc, platform), '[]')
        from (select platform, count(*) as requests, sum(votes::bigint) as votes from member group by platform) as counted) as platforms,
      (select coalesce(json_agg(json_build_object('product', product, 'requests', requests, 'votes', votes)
          order by votes desc, requests desc, product), '[]')
        from (select product, count(*) as requests, sum(member.votes::bigint) as votes
          from member where product is not null
          group by product order by votes desc, requests desc, product limit ${sql.lit(shownProducts)}) as counted) as products,
      coalesce((select max(votes) from member), 0)::float8 as most_votes,
      exists (select from wish_corrections where kind = 'merge' and made_by = ${modelName} and undone_at is null
        and to_wish_id = ${input.wishId}::uuid) as is_merged_by_model,
      (select coalesce(json_agg(json_build_object('topic', name, 'requests', requests) order by requests desc, key), '[]')
        from (select topics.key, topics.name, count(*) as requests
          from member join request_topics as link on link.request_id = member.request_id join topics on topics.key = link.topic_key
          group by topics.key order by requests desc, topics.key limit ${sql.lit(shownTopics)}) as counted) as topics,
      (select coalesce(json_agg(json_build_object('day', day, 'requests', requests)), '[]')
        from (select to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as requests
          from member group by 1) as counted) as days`.execute(executor)
  return rows[0]!
}

const cursors = cursorsOf<[votes: number, id: string]>('wish-members', isPositionNumber, isPositionId)

/** A page of likely members, most voted first. @throws ServiceError INVALID_REQUEST for a cursor of another list. */
async function readMembers(executor: Executor, input: DetailInput): Promise<WishDetail['members']> {
  const { limit, view, cursor } = input
  const after = cursor === undefined ? null : cursors.decode(cursor)
  const from = after === null ? sql`true` : sql`(votes, request_id) < (${after[0]}::bigint, ${after[1]}::uuid)`
  const { rows } = await sql<{ request_id: string; votes: number }>`
    select request_id, votes from (${members(input)}) as member where ${from}
    order by votes desc, request_id desc limit ${limit + 1}`.execute(executor)
  const { page, ...rest } = pageIn(rows, limit, ({ votes, request_id }) => cursors.encode([votes, request_id]))
  const ids = page.map(({ request_id }) => request_id)
  return { results: await readRequests(executor, ids, { fullText: false, view: { ...view, least: 2 } }), ...rest }
}

/** The wishes of requests possibly the same as the top request. They count in no number. */
async function readPossiblySame(
  executor: Executor,
  { wishId, view, now, possiblySame }: DetailInput,
  topRequestId: string,
): Promise<WishDetail['possiblySame']> {
  const alike = await possiblySame(executor, { wishId, requestId: topRequestId, view })
  const wishIds = await readWishIds(
    executor,
    alike.map(({ requestId }) => requestId),
    view,
  )
  const similarities = new Map<string, number>()
  for (const { requestId, similarity } of alike) {
    const id = wishIds.get(requestId)
    if (id !== undefined && id !== wishId && !similarities.has(id)) similarities.set(id, similarity)
  }
  const ids = [...similarities.keys()].slice(0, shownPossiblySame)
  const wishes = await readWishes(executor, ids, { view, now })
  return wishes.map((wish) => ({ ...wish, similarity: similarities.get(wish.wishId)! }))
}

/** Reads a wish with its members, one part after the other; null if no request is likely in the view. */
export async function readWish(executor: Executor, input: DetailInput): Promise<WishDetail | null> {
  const { view, now } = input
  const [summary] = await readWishes(executor, [input.wishId], { view, now })
  if (summary === undefined) return null
  const { statuses, platforms, products, topics, days, ...counted } = await readBreakdowns(executor, input)
  const { votes } = summary
  return {
    ...summary,
    statuses,
    votesByPlatform: platforms.map((one) => ({ ...one, votesAre: votesOf(one.platform) })),
    products,
    largestShare: counted.most_votes > 0 ? Math.min(1, counted.most_votes / Math.max(votes, counted.most_votes)) : null,
    isMergedByModel: counted.is_merged_by_model,
    topics,
    timeline: timelineOf(days),
    members: await readMembers(executor, input),
    possiblySame: await readPossiblySame(executor, input, summary.topRequest._id),
  }
}
