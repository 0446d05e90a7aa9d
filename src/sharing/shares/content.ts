import { sql } from 'kysely'
import { hasOwnView, ownViewColumns } from '../../accounts/keys.ts'
import type { PlatformName, RequestStatus } from '../../database/column-types.ts'
import type { Database, Executor } from '../../database/open.ts'
import { publicPagesOf, publicTextPlatforms } from '../../platforms/registry.ts'
import { type RequestRecord, readRequests } from '../../requests/record.ts'
import type { Period } from '../../requests/timeline.ts'
import { type View, viewOf } from '../../requests/view.ts'
import { membersIn } from '../../requests/wish-numbers/membership.ts'
import { readWishIds } from '../../requests/wish-numbers/numbers.ts'
import type { Totals } from '../../search/engine.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { readWish, type WishDetail } from '../../wishes/detail.ts'
import { readWishes, type WishSummary, withoutOwn } from '../../wishes/list/summary.ts'
import { readMarks, type WishMark } from '../../wishes/marks/marks.ts'
import { readTopicPage, type TopicPage } from '../../wishes/topics/topic-page.ts'
import { readBrief } from '../briefs/briefs.ts'
import { forOthers } from '../briefs/for-others.ts'
import type { Brief } from '../briefs/schemas.ts'
import type { SharedRequests } from '../pages/posts.ts'
import { type ListView, readView } from '../pages/view.ts'
import type { Share } from './shares.ts'

/** Requests of a wish shown, most voted first. */
export const maxRequests = 100

/** A shared wish. Its title is a platform's text, so it comes with the request that has it. */
export interface SharedWish
  extends Pick<
    WishSummary,
    'wishId' | 'requestCount' | 'votes' | 'voices' | 'platforms' | 'status' | 'firstAskedAt' | 'lastAskedAt'
  > {
  /** Null if all its requests are on platforms whose texts are not shown. */
  titleFrom: RequestRecord | null
  topPost: Pick<RequestRecord, 'sourceUrl' | 'sourcePlatform'>
  mark: WishMark['mark']
  /** Empty if there is none, or it is not shared. */
  note: string
}

export type SharedContent =
  | {
      kind: 'wish'
      wish: SharedWish
      statuses: { status: RequestStatus | null; requests: number }[]
      timeline: Period[]
      platforms: SharedRequests[]
      hasMore: boolean
    }
  | {
      kind: 'topic'
      topic: Pick<TopicPage, 'topic' | 'requests' | 'votes' | 'growth' | 'platforms' | 'timeline'>
      wishes: SharedWish[]
    }
  | { kind: 'view'; query: string | null; inPart: Totals | null; wishes: SharedWish[]; hasMore: boolean }
  | { kind: 'brief'; brief: Brief }

export interface ContentDependencies {
  database: Database
  searchIndex: SearchIndex
}

interface Reader {
  accountId: string
  hasOwnView: boolean
  view: View
  withNotes: boolean
  now: Date
}

const showsTexts = ({ sourcePlatform }: RequestRecord) => publicPagesOf(sourcePlatform as PlatformName).show === 'texts'

async function readOtherTitles(
  executor: Executor,
  wishIds: readonly string[],
  view: View,
): Promise<Map<string, RequestRecord>> {
  if (wishIds.length === 0) return new Map()
  const { rows } = await sql<{ wish_id: string; request_id: string }>`
    select distinct on (wish.id) wish.id as wish_id, member.request_id from unnest(${[...wishIds]}::uuid[]) as wish (id)
      cross join lateral (${membersIn(view, sql.ref('wish.id'))}) as member
    where member.platform = any(${[...publicTextPlatforms]}::text[])
    order by wish.id, member.votes desc, member.request_id`.execute(executor)
  const ids = rows.map(({ request_id: id }) => id)
  const records = new Map((await readRequests(executor, ids, { fullText: false, view })).map((one) => [one._id, one]))
  return new Map(
    rows.flatMap(({ wish_id: wishId, request_id: id }) => {
      const record = records.get(id)
      return record === undefined ? [] : [[wishId, record] as const]
    }),
  )
}

async function toShared(
  executor: Executor,
  wishes: readonly WishSummary[],
  { accountId, view, withNotes }: Reader,
): Promise<SharedWish[]> {
  const marks = await readMarks(
    executor,
    accountId,
    wishes.map(({ wishId }) => wishId),
  )
  const hidden = wishes.filter(({ topRequest }) => !showsTexts(topRequest)).map(({ wishId }) => wishId)
  const others = await readOtherTitles(executor, hidden, view)
  return wishes.map(
    ({ wishId, requestCount, votes, voices, platforms, status, firstAskedAt, lastAskedAt, topRequest }) => ({
      ...{ wishId, requestCount, votes, voices, platforms, status, firstAskedAt, lastAskedAt },
      titleFrom: showsTexts(topRequest) ? topRequest : (others.get(wishId) ?? null),
      topPost: topRequest,
      mark: marks.get(wishId)?.mark ?? null,
      note: withNotes ? (marks.get(wishId)?.note ?? '') : '',
    }),
  )
}

/** The most voted requests by platform, with the totals. */
const byPlatform = ({ votesByPlatform, members }: WishDetail): SharedRequests[] =>
  votesByPlatform.map((one) => ({
    ...one,
    shown: members.results.filter(({ sourcePlatform }) => sourcePlatform === one.platform),
  }))

/** The longest chain of merges to follow. */
const maxMerges = 10

/** The wishes that a wish may now belong to: where its request was placed, then where people merged it. */
async function readLaterWishes(executor: Executor, wishId: string, { accountId, view }: Reader): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive merged as (
      select ${wishId}::uuid as id, 0 as step
      union
      select to_wish_id, step + 1 from merged join wish_corrections on from_wish_id = merged.id
      where kind = 'merge' and undone_at is null and (account_id is null or account_id = ${accountId}::uuid) and step < ${sql.lit(maxMerges)}
    )
    select id from merged where step > 0 order by step`.execute(executor)
  const placed = (await readWishIds(executor, [wishId], view)).get(wishId)
  return [...(placed === undefined ? [] : [placed]), ...rows.map(({ id }) => id)]
}

/** Finds a wish, even after it became part of another. */
async function findWish(executor: Executor, wishId: string, reader: Reader): Promise<WishDetail | null> {
  const { view, now } = reader
  const read = async (id: string) => {
    const wish = await readWish(executor, { wishId: id, limit: maxRequests, view, now, possiblySame: async () => [] })
    return wish === null ? null : (withoutOwn([wish])[0] ?? null)
  }
  const wish = await read(wishId)
  if (wish !== null) return wish
  for (const id of await readLaterWishes(executor, wishId, reader)) {
    const later = await read(id)
    if (later !== null) return later
  }
  return null
}

async function readSharedWish(executor: Executor, wishId: string, reader: Reader): Promise<SharedContent | null> {
  const wish = await findWish(executor, wishId, reader)
  if (wish === null) return null
  const [shared] = await toShared(executor, [wish], reader)
  return {
    kind: 'wish',
    wish: shared!,
    statuses: wish.statuses,
    timeline: wish.timeline,
    platforms: byPlatform(wish),
    hasMore: wish.members.hasMore,
  }
}

async function readSharedTopic(executor: Executor, name: string, reader: Reader): Promise<SharedContent | null> {
  const { view, now } = reader
  const page = await readTopicPage(executor, { topic: name, view, now })
  if (page === null) return null
  const ids = page.wishes.map(({ wishId }) => wishId)
  const wishes = withoutOwn(await readWishes(executor, ids, { view, now }))
  const { topic, requests, votes, growth, platforms, timeline } = page
  return {
    kind: 'topic',
    topic: { topic, requests, votes, growth, platforms, timeline },
    wishes: await toShared(executor, wishes, reader),
  }
}

async function readerOf(
  database: Executor,
  { accountId, withNotes, now }: Pick<Reader, 'accountId' | 'withNotes' | 'now'>,
): Promise<Reader | null> {
  const account = await database
    .selectFrom('accounts')
    .select([...ownViewColumns])
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (account === undefined) return null
  const ofAccount = { accountId, hasOwnView: hasOwnView(account) }
  return { ...ofAccount, view: viewOf(ofAccount), withNotes, now }
}

/** A wish as a share without notes shows it, and its imports. Null if unshowable, or the account is deleted. */
export async function readPassedOnWish(
  database: Executor,
  { accountId, wishId, now }: { accountId: string; wishId: string; now: Date },
): Promise<(Extract<SharedContent, { kind: 'wish' }> & Pick<WishSummary, 'own'>) | null> {
  const reader = await readerOf(database, { accountId, withNotes: false, now })
  const content = reader && (await readSharedWish(database, wishId, reader))
  if (content === null || content.kind !== 'wish') return null
  const [summary] = await readWishes(database, [content.wish.wishId], reader!)
  return summary === undefined ? null : { ...content, own: summary.own }
}

/** Reads what a share shows now, uncached. Null if nothing is left, or its account is deleted. */
export async function readContent(
  share: Share,
  now: Date,
  dependencies: ContentDependencies,
): Promise<SharedContent | null> {
  const { database } = dependencies
  const reader = await readerOf(database, { accountId: share.account_id, withNotes: share.with_notes, now })
  if (reader === null) return null
  if (share.brief_id !== null) {
    const brief = await readBrief(database, share.account_id, share.brief_id)
    return brief && { kind: 'brief', brief: forOthers(brief) }
  }
  if (share.wish_id !== null) return readSharedWish(database, share.wish_id, reader)
  if (share.topic !== null) return readSharedTopic(database, share.topic, reader)
  const view = share.view as ListView
  const { wishes, hasMore, searched } = await readView(view, reader, dependencies)
  const inPart = searched && (await dependencies.searchIndex.inPart(database, searched))
  const shown = await toShared(database, wishes, reader)
  return { kind: 'view', query: view.query ?? null, inPart, wishes: shown, hasMore }
}
