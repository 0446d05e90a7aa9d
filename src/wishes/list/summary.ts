import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { requestStatuses } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { named } from '../../http/openapi-components.ts'
import { closed, moment, nullable, oneOf } from '../../http/schemas.ts'
import { importPlatform } from '../../platforms/registry.ts'
import { ownAsks, readRequests, requestRecord } from '../../requests/record.ts'
import { dayOf } from '../../requests/timeline.ts'
import type { View } from '../../requests/view.ts'
import { countVoices, type Voices } from '../../requests/voices/voices.ts'
import { membersIn } from '../../requests/wish-numbers/membership.ts'
import { readWishNumbers } from '../../requests/wish-numbers/numbers.ts'
import { dayMs } from '../../runtime/durations.ts'

/** Votes gained in the last 7 and 30 UTC days including today; null if none of it was cached before then. */
export interface WishGrowth {
  days7: number | null
  days30: number | null
}

/** The UTC day (YYYY-MM-DD) from whose end growth over `days` counts. */
export const dayBefore = (days: number, now: Date): string => dayOf(new Date(now.getTime() - days * dayMs))

/**
 * Votes a request gained since the end of a day, by its samples (`requests/store/page-effects.ts`). 0 if it entered the
 * cache later (new or returned requests are no growth) or was imported; null without samples.
 * @param row names a row with `request_id` and `votes`
 */
export const votesGained = (row: string, day: string): RawBuilder<number | null> => {
  const id = sql.ref(`${row}.request_id`)
  return sql<number | null>`(
    select ${sql.ref(`${row}.votes`)}::bigint - coalesce(
      (select votes from vote_samples where request_id = ${id} and day <= ${day}::date order by day desc limit 1),
      (select votes from vote_samples where request_id = ${id} order by day limit 1))
    from requests where requests.id = ${id} and created_at < ((${day}::date + 1)::timestamp at time zone 'UTC')
      and platform <> ${importPlatform})`
}

interface MemberNumbers extends Voices {
  /** Over the members cached at both ends. */
  growth: WishGrowth
  /** Of imported members, which count nowhere else. */
  ownVoices: number
}

interface MemberRow {
  id: string
  since: Date | null
  days7: number
  days30: number
  voices: string
  own_voices: string
}

/** Whether a row of `member` was posted publicly. */
const isPublic = sql<boolean>`(member.platform <> ${importPlatform})`

/** Reads growth and voices of wishes in a view. */
export async function readMemberNumbers(
  executor: Executor,
  wishIds: readonly string[],
  { view, now }: { view: View; now: Date },
): Promise<Map<string, MemberNumbers>> {
  const [week, month] = [dayBefore(7, now), dayBefore(30, now)]
  const changed = sql`
    (select day from vote_samples where request_id = member.request_id order by day desc limit 1) > ${month}::date`
  const gained = (day: string) => sql`coalesce(sum(${votesGained('member', day)}) filter (where ${changed}), 0)::bigint`
  const voices = (which: RawBuilder<unknown>) =>
    sql`coalesce(encode(string_agg(requests.voice, ''::bytea order by requests.id) filter (where ${which}), 'base64'), '')`
  const { rows } = await sql<MemberRow>`
    select wish.id, min(requests.created_at) filter (where ${isPublic}) as since, ${gained(week)} as days7,
      ${gained(month)} as days30, ${voices(isPublic)} as voices, ${voices(sql`not ${isPublic}`)} as own_voices
    from unnest(${wishIds}::uuid[]) as wish (id) cross join lateral (${membersIn(view, sql.ref('wish.id'))}) as member
      join requests on requests.id = member.request_id
    group by wish.id`.execute(executor)
  return new Map(
    rows.map(({ id, since, days7, days30, voices: ofOthers, own_voices: ofAsks }) => {
      const known = (day: string, votes: number) => (since !== null && dayOf(since) <= day ? Number(votes) : null)
      const growth = { days7: known(week, days7), days30: known(month, days30) }
      const [counted, own] = [ofOthers, ofAsks].map((texts) => countVoices(Buffer.from(texts, 'base64')))
      return [id, { growth, ...counted!, ownVoices: own!.voices }]
    }),
  )
}

/** A wish in the API. Its numbers count the likely requests in the caller's view; imported ones count only in `own`. */
export const wishProperties = {
  wishId: Type.String({ description: 'Identifier of the wish; it stays while requests join and leave' }),
  title: Type.String({ description: 'That of `topRequest`' }),
  requestCount: Type.Integer({ description: 'How many likely requests ask for it; imported ones are in `own` alone' }),
  votes: Type.Integer({ description: 'Of all of them together' }),
  own: nullable(ownAsks),
  voices: Type.Integer({
    description:
      'How many people asked in words of their own: requests of one author on one platform are one voice, and so are those with nearly the same text',
  }),
  authors: Type.Integer({ description: 'How many authors they have; each without a named author counts' }),
  crossPosts: Type.Integer({ description: 'How many of them repeat the text of another' }),
  platforms: Type.Array(Type.String(), { description: 'Where they were posted' }),
  product: nullable(Type.String({ description: 'That of `topRequest`' })),
  status: nullable(
    oneOf(requestStatuses, {
      description:
        'The first of these that a request has: in_progress, planned, open, completed, declined, closed, duplicate. ' +
        'So it is `completed` only where no request is still open',
    }),
  ),
  firstAskedAt: moment('When the first of them was posted'),
  lastAskedAt: moment('When the last of them was posted'),
  growth: closed(
    { days7: nullable(Type.Integer()), days30: nullable(Type.Integer()) },
    {
      ...named('WishGrowth'),
      description:
        'How many votes they gained in the last 7 and 30 UTC days, today included; of requests that were already in the cache before. ' +
        'null while there are none, so that it is not known yet',
    },
  ),
  topRequest: requestRecord,
}

/** Requests and votes of a platform. */
export const platformVotes = closed({
  platform: Type.String(),
  requests: Type.Integer(),
  votes: Type.Integer(),
  votesAre: nullable(Type.String({ description: 'What a vote is there: likes, a score' })),
})

/** Requests and votes by product. */
export const productCounts = Type.Array(
  closed({ product: Type.String(), requests: Type.Integer(), votes: Type.Integer() }),
  { description: 'The most voted first, at most 20' },
)

const wishSummary = closed(wishProperties)

export type WishSummary = Static<typeof wishSummary>

/** Reads up to 100 wishes in the order of the ids, omitting those that do not exist in the view. */
export async function readWishes(
  executor: Executor,
  wishIds: readonly string[],
  { view, now }: { view: View; now: Date },
): Promise<WishSummary[]> {
  const numbers = await readWishNumbers(executor, wishIds, view)
  const found = wishIds.flatMap((id) => numbers.get(id) ?? [])
  if (found.length === 0) return []
  const ofMembers = await readMemberNumbers(executor, [...numbers.keys()], { view, now })
  const top = await readRequests(
    executor,
    found.map(({ topRequestId }) => topRequestId),
    { fullText: false, view: { ...view, least: 2 } },
  )
  const records = new Map(top.map((record) => [record._id, record]))
  return found.flatMap(({ topRequestId, wishId, requestCount, votes, own, platforms, status, ...asked }) => {
    const topRequest = records.get(topRequestId)
    const numbersOfMembers = ofMembers.get(wishId)
    // The last member may have left since the previous statement.
    if (topRequest === undefined || numbersOfMembers === undefined) return []
    const { title, product } = topRequest
    const { ownVoices, ...counted } = numbersOfMembers
    const ofWish = {
      wishId,
      title,
      requestCount,
      votes,
      own: own && { ...own, voices: ownVoices },
      platforms,
      product,
      status,
    }
    const firstAskedAt = asked.firstAskedAt.toISOString()
    const lastAskedAt = asked.lastAskedAt.toISOString()
    return [{ ...ofWish, ...counted, firstAskedAt, lastAskedAt, topRequest }]
  })
}

/** What may be passed on: no imported requests, so no wishes of only those. */
export const withoutOwn = <Wish extends WishSummary>(wishes: readonly Wish[]): Wish[] =>
  wishes
    .filter(({ requestCount }) => requestCount > 0)
    .map((wish) => ({ ...wish, own: null, platforms: wish.platforms.filter((name) => name !== importPlatform) }))
