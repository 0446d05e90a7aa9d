import { type RawBuilder, sql } from 'kysely'
import { type PlatformName, type RequestStatus, standings } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { importPlatform } from '../platforms/registry.ts'
import { filterView } from '../requests/filters/filters.ts'
import { type RequestRecord, readRequests } from '../requests/record.ts'
import { requestColumns, standingIn, type View } from '../requests/view.ts'
import { membersIn, type OwnAsks, wishIdIn } from '../requests/wish-numbers/membership.ts'
import { numbersAlone, readWishNumbers, type WishNumbers } from '../requests/wish-numbers/numbers.ts'
import { type AnswerInput, readAskedTotals, type SearchAnswer, type SearchPage, toAnswer } from './answer.ts'
import { wantedOf } from './best-match.ts'
import { type SearchOrder, searchCap } from './orders.ts'
import { maxSelected, wideWindowSize } from './page.ts'
import { searchCorrected } from './query-search.ts'
import type { RankedMatches } from './ranked.ts'
import type { SearchIndex, SearchInput } from './search-index.ts'

/** A matching wish with the numbers of the whole wish. A request that is not likely stands alone, without numbers. */
export interface GroupedResult {
  wishId: string | null
  title: string
  requestCount: number
  votes: number
  own: OwnAsks | null
  platforms: PlatformName[]
  product: string | null
  status: RequestStatus | null
  firstAskedAt: string
  lastAskedAt: string
  /** How many of its requests match and pass the filters; with a window, of the considered ones. */
  matching: number
  /** Whether a request of it has all words; such results come first. */
  hasAllWords: boolean
  bestMatch: RequestRecord
}

interface Group {
  /** Null if the request is not likely in the view. */
  wish_id: string | null
  matching: number
  is_first: boolean
  best_id: string
  groups: number
  /** How many groups keep their place in any deeper ranking. */
  final_groups: number
}

const votes = sql`coalesce(own.votes, wishes.votes, case when requests.platform <> ${importPlatform} then requests.votes else 0 end)`

/** The orders of wishes; ties by best match. */
const orders: Record<SearchOrder, RawBuilder<unknown>> = {
  relevance: sql`tier, is_exact desc, ${wantedOf(votes, sql`coalesce(wishes.status, requests.status)`)} desc, position`,
  votes: sql`is_likely desc, is_first desc, ${votes} desc, position`,
  new: sql`is_likely desc, is_first desc, coalesce(own.first_asked_at, wishes.first_asked_at, requests.posted_at) desc, position`,
}

interface GroupInput {
  view: View
  sortBy: SearchOrder
  offset: number
  limit: number
}

async function groupMatches(
  executor: Executor,
  { ids, tiers, exact, first, final }: RankedMatches,
  { view, sortBy, offset, limit }: GroupInput,
): Promise<Group[]> {
  const { account } = view
  const own =
    account === null
      ? sql`select null::uuid as wish_id, 0 as votes, null::timestamptz as first_asked_at where false`
      : sql`select wish_id, votes, first_asked_at from account_wishes where account_id = ${account}::uuid`
  // In a view of likely requests, all matches are likely.
  const isLikely =
    view.least === standings.likely
      ? sql`true`
      : sql`(select ${standingIn(view, requestColumns)} = 2 from requests where requests.id = match.id)`
  const { rows } = await sql<Group>`
    with matches as (
      select match.id, tier, is_exact, position, position <= ${first} as is_first, ${isLikely} as is_likely
      from unnest(${ids}::uuid[], ${tiers}::int[], ${exact}::boolean[]) with ordinality as match (id, tier, is_exact, position)
    ),
    placed as (
      select id, tier, is_exact, position, is_first, is_likely, case when is_likely then ${wishIdIn(view, sql.ref('matches.id'))} else id end as group_id
      from matches
    ),
    grouped as materialized (
      select group_id, is_likely, bool_or(is_first) as is_first, min(position) as position, count(*)::int as matching,
        (array_agg(id order by position))[1] as best_id, min(tier) as tier, (array_agg(is_exact order by position))[1] as is_exact
      from placed group by group_id, is_likely
    )
    select case when is_likely then group_id end as wish_id, matching, is_first, best_id, (count(*) over ())::int as groups,
      (count(*) filter (where position <= ${final}) over ())::int as final_groups
    from grouped
      join requests on requests.id = best_id
      left join wishes on is_likely and wishes.id = group_id and wishes.requests + wishes.own_requests > 0
      left join (${own}) as own on is_likely and own.wish_id = group_id
    order by ${orders[sortBy]} limit ${limit} offset ${offset}`.execute(executor)
  return rows
}

const withoutWish = ({
  title,
  votes,
  sourcePlatform,
  product,
  status,
  originalCreatedAt,
  createdAt,
}: RequestRecord) => ({
  wishId: null,
  title,
  ...numbersAlone(sourcePlatform, votes),
  platforms: [sourcePlatform as PlatformName],
  product,
  status,
  firstAskedAt: originalCreatedAt ?? createdAt,
  lastAskedAt: originalCreatedAt ?? createdAt,
})

const ofWish = (
  { topRequestId: _, firstAskedAt, lastAskedAt, ...numbers }: WishNumbers,
  { title, product }: RequestRecord,
) => ({
  ...numbers,
  title,
  product,
  firstAskedAt: firstAskedAt.toISOString(),
  lastAskedAt: lastAskedAt.toISOString(),
})

/** Counts matching members of a page's wishes, when no ranking of all matches has done so. */
async function countMatching(
  searchIndex: SearchIndex,
  executor: Executor,
  input: SearchInput,
  wishIds: readonly string[],
): Promise<Map<string, number>> {
  if (wishIds.length === 0) return new Map()
  const { rows: members } = await sql<{ wish_id: string; request_id: string }>`
    select wish.id as wish_id, request_id from unnest(${wishIds}::uuid[]) as wish (id)
      cross join lateral (${membersIn(filterView(input.filters ?? {}), sql.ref('wish.id'))}) as member`.execute(
    executor,
  )
  const ids = members.map(({ request_id: id }) => id)
  const matching = new Set(await searchIndex.among(executor, input, ids))
  const counts = new Map(wishIds.map((id) => [id, 0]))
  for (const { wish_id: wishId, request_id: id } of members) {
    if (matching.has(id)) counts.set(wishId, counts.get(wishId)! + 1)
  }
  return counts
}

interface GroupsRead {
  ranked: Awaited<ReturnType<SearchIndex['rank']>>
  groups: Group[]
  numbers: Map<string, WishNumbers>
  /** Wishes of the page with members that were not considered. */
  unsure: WishNumbers[]
}

const sizeOf = ({ requestCount, own }: WishNumbers): number => requestCount + (own?.asks ?? 0)

/** Whether a ranking of all matches would give the same page. */
const isFinal = ({ ranked, groups, unsure }: GroupsRead, end: number): boolean =>
  ranked.window === null ||
  ((groups[0]?.final_groups ?? 0) > end && unsure.reduce((sum, wish) => sum + sizeOf(wish), 0) <= maxSelected)

/** Whether the maximum of matches is grouped. The same for every page, so that pages fit together. */
const isFull = ({ ranked, groups }: GroupsRead): boolean =>
  ranked.deeper === null || (ranked.deeper === wideWindowSize && (groups[0]?.groups ?? 0) > searchCap)

/** The groups of a page, ranking no more matches than needed. */
async function readGroups(searchIndex: SearchIndex, executor: Executor, input: SearchInput, page: GroupInput) {
  const end = page.offset + page.limit
  const read = async (depth?: number): Promise<GroupsRead> => {
    const ranked = await searchIndex.rank(executor, input, depth === undefined ? {} : { depth })
    const groups = await groupMatches(executor, ranked, page)
    const wishIds = groups.flatMap(({ wish_id: wishId }) => wishId ?? [])
    const numbers = await readWishNumbers(executor, wishIds, page.view)
    const considered = new Map(groups.map(({ wish_id: wishId, matching }) => [wishId, matching]))
    const unsure = [...numbers.values()].filter((wish) => sizeOf(wish) > (considered.get(wish.wishId) ?? 0))
    return { ranked, groups, numbers, unsure }
  }
  let found = await read()
  while (!isFinal(found, end) && !isFull(found)) found = await read(found.ranked.deeper!)
  const isWhole = found.ranked.window === null
  if (isWhole || !isFinal(found, end)) return found
  const wishIds = found.unsure.map(({ wishId }) => wishId)
  const counts = await countMatching(searchIndex, executor, input, wishIds)
  const groups = found.groups.map((group) => ({ ...group, matching: counts.get(group.wish_id!) ?? group.matching }))
  return { ...found, groups, ranked: { ...found.ranked, window: null } }
}

export interface GroupedPage extends Pick<RankedMatches, 'window' | 'maybeIds' | 'anyMatch'> {
  results: GroupedResult[]
  more: boolean
  words: string[]
}

/** Searches wishes, one result per wish however many of its requests match. Serves the best 100 wishes. */
export async function searchWishes(
  searchIndex: SearchIndex,
  executor: Executor,
  input: SearchInput,
): Promise<GroupedPage> {
  const { filters = {}, sortBy = 'relevance', fullText = false, offset } = input
  const view = filterView(filters)
  const limit = Math.max(0, Math.min(input.limit, searchCap - offset))
  const page = { view, sortBy, offset, limit }
  const { ranked, groups, numbers } = await readGroups(searchIndex, executor, input, page)
  const tops = [...numbers.values()].map(({ topRequestId }) => topRequestId)
  const shown = [...new Set([...groups.map(({ best_id: bestId }) => bestId), ...tops])]
  const records = new Map(
    (await readRequests(executor, shown, { fullText, view })).map((request) => [request._id, request]),
  )
  const results = groups.flatMap(({ wish_id: wishId, matching, is_first: hasAllWords, best_id: bestId }) => {
    const bestMatch = records.get(bestId)
    if (bestMatch === undefined) return []
    const wish = wishId === null ? undefined : numbers.get(wishId)
    const shownWish =
      wish === undefined ? withoutWish(bestMatch) : ofWish(wish, records.get(wish.topRequestId) ?? bestMatch)
    return [{ ...shownWish, matching, hasAllWords, bestMatch }]
  })
  const { window, maybeIds, anyMatch, words } = ranked
  return { window, maybeIds, anyMatch, words, results, more: (groups[0]?.groups ?? 0) > offset + groups.length }
}

export interface WishAnswer {
  data: Pick<SearchPage, 'hasMore' | 'limitReached'> & { results: GroupedResult[] }
  meta: SearchAnswer['meta']
}

/** Answers a search for wishes. @throws ServiceError INVALID_REQUEST for an unsearchable query. */
export async function answerWithWishes(
  { searchIndex, executor }: { searchIndex: SearchIndex; executor: Executor },
  input: AnswerInput,
): Promise<WishAnswer> {
  const { more, maybeIds, results, ...found } = await searchCorrected(searchIndex, executor, input, (query) =>
    searchWishes(searchIndex, executor, query),
  )
  const totals = await readAskedTotals(searchIndex, executor, input, found.understood)
  const atCap = input.offset + results.length >= searchCap
  const { data, meta } = await toAnswer(executor, input, {
    ...found,
    totals,
    onlyWords: new Set(),
    results: results.map(({ bestMatch }) => bestMatch),
    maybeResults: maybeIds.length,
    hasMore: more && !atCap,
    limitReached: more && atCap,
  })
  const { results: bestMatches, ...rest } = data
  return { data: { ...rest, results: results.map((wish, at) => ({ ...wish, bestMatch: bestMatches[at]! })) }, meta }
}
