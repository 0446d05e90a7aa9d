import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { cursorsOf, isPositionId, isPositionNumber, type PageInput } from '../../http/pagination.ts'
import { conditionsOn, idsOfProducts, idsOfTopic } from '../../requests/filters/conditions.ts'
import type { RequestFilters } from '../../requests/filters/filters.ts'
import { correctionHash } from '../../requests/store/standings.ts'
import type { View } from '../../requests/view.ts'
import { readWishIds } from '../../requests/wish-numbers/numbers.ts'
import { readWishes, type WishSummary } from '../list/summary.ts'
import { readComparedTexts } from '../pairs/candidates.ts'
import { type Reasons, reasonsOf } from '../pairs/reasons.ts'

interface StoredPair {
  suggestionId: string
  one: string
  other: string
  similarity: number
  priority: number
  /** The model's answer; null if it was not asked. */
  judgedSame: boolean | null
}

/** An open pair, with its requests' wishes in a view. */
export interface OpenPair extends StoredPair {
  wishIds: readonly [string, string]
}

interface HashedRequest {
  id: string
  platform: PlatformName
  source_id: string
}

export const keyOf = (one: string, other: string) => (one < other ? `${one} ${other}` : `${other} ${one}`)

/** The pairs of wishes, and of request hashes, with an answer that counts in the view. */
export async function readAnswered(
  executor: Executor,
  account: string | null,
  { wishIds, hashes }: Record<'wishIds' | 'hashes', readonly string[]>,
): Promise<Set<string>> {
  const own = sql`account_id is not distinct from ${account}::uuid`
  const { rows } = await sql<{ one: string; other: string }>`
    select from_wish_id::text as one, to_wish_id::text as other from wish_corrections
    where kind in ('part', 'skip') and undone_at is null and (${own} or (account_id is null and kind = 'part'))
      and from_wish_id = any(${wishIds}::uuid[]) and to_wish_id = any(${wishIds}::uuid[])
    union all
    select one_hash, other_hash from wish_partings
    where one_hash = any(${hashes}::text[]) and other_hash = any(${hashes}::text[])
      and (${own} or (account_id is null and not is_skipped))`.execute(executor)
  return new Set(rows.map(({ one, other }) => keyOf(one, other)))
}

/** The open pairs in a view: of two wishes, without an answer. */
export async function openPairs(executor: Executor, pairs: readonly StoredPair[], view: View): Promise<OpenPair[]> {
  const ids = [...new Set(pairs.flatMap(({ one, other }) => [one, other]))]
  const wishIds = await readWishIds(executor, ids, view)
  const placed = pairs.flatMap((pair): OpenPair[] => {
    const [one, other] = [wishIds.get(pair.one), wishIds.get(pair.other)]
    return one === undefined || other === undefined || one === other ? [] : [{ ...pair, wishIds: [one, other] }]
  })
  if (placed.length === 0) return []
  const { rows } = await sql<HashedRequest>`
    select id, platform, source_id from requests where id = any(${ids}::uuid[])`.execute(executor)
  const hashes = new Map(rows.map(({ id, platform, source_id }) => [id, correctionHash(platform, source_id)]))
  const answered = await readAnswered(executor, view.account, {
    wishIds: [...new Set(placed.flatMap((pair) => pair.wishIds))],
    hashes: [...hashes.values()],
  })
  return placed.filter(
    ({ one, other, wishIds: [wish, otherWish] }) =>
      !answered.has(keyOf(wish, otherWish)) && !answered.has(keyOf(hashes.get(one) ?? '', hashes.get(other) ?? '')),
  )
}

/** The priority as an integer, because cursors only hold those: a positive float's bits sort like its value. */
type Position = [bits: number, suggestionId: string]
const cursors = cursorsOf<Position>('wish suggestions', isPositionNumber, isPositionId)
const bits = sql<number>`('x' || encode(float4send(priority), 'hex'))::bit(32)::bigint`

/** One of the two requests must match topic and product. */
type SuggestionFilters = Pick<RequestFilters, 'topic' | 'products'>

/** With at most this many requests, their pairs are read and sorted; else the order is read until a page is full. */
const maxSelected = 2_000

/** The few ids that a filter leaves; null without a filter. */
async function fewIds(executor: Executor, filters: SuggestionFilters): Promise<string[] | null> {
  for (const ids of [idsOfTopic(filters, maxSelected + 1), idsOfProducts(filters, maxSelected + 1)]) {
    if (ids === null) continue
    const { rows } = await ids.execute(executor)
    if (rows.length <= maxSelected) return rows.map(({ id }) => id)
  }
  return null
}

interface ReadInput {
  filters: SuggestionFilters
  few: readonly string[] | null
  after: Position | null
  limit: number
}

async function readPairs(executor: Executor, { filters, few, after, limit }: ReadInput) {
  const either = conditionsOn('request_facets', filters)
  const ids = sql`${few}::uuid[]`
  const conditions = [
    ...(after === null ? [] : [sql`(${bits}, suggestion_id) < (${after[0]}::bigint, ${after[1]}::uuid)`]),
    ...(few === null ? [] : [sql`(one_id = any(${ids}) or other_id = any(${ids}))`]),
    ...(either.length === 0
      ? []
      : [
          sql`exists (select from request_facets where request_id in (one_id, other_id) and ${sql.join(either, sql` and `)})`,
        ]),
  ]
  const { rows } = await sql<StoredPair & { bits: number }>`
    select suggestion_id as "suggestionId", one_id as one, other_id as other, similarity, priority, judged_same as "judgedSame", ${bits} as bits
    from wish_suggestions where ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)}
    order by priority desc, suggestion_id desc limit ${limit}`.execute(executor)
  return rows.map((row) => ({ ...row, bits: Number(row.bits) }))
}

/** A stored pair by id; null if there is none. */
export async function readPair(executor: Executor, suggestionId: string): Promise<StoredPair | null> {
  const { rows } = await sql<StoredPair>`
    select suggestion_id as "suggestionId", one_id as one, other_id as other, similarity, priority, judged_same as "judgedSame"
    from wish_suggestions where suggestion_id = ${suggestionId}::uuid`.execute(executor)
  return rows[0] ?? null
}

/** The pairs of a page with their wishes, the more voted first. */
async function showPairs(
  executor: Executor,
  pairs: readonly OpenPair[],
  { view, now }: { view: View; now: Date },
): Promise<
  (Pick<OpenPair, 'suggestionId' | 'similarity' | 'judgedSame'> & {
    wishes: [WishSummary, WishSummary]
    reasons: Reasons
  })[]
> {
  const wishIds = [...new Set(pairs.flatMap((pair) => pair.wishIds))]
  const wishes = new Map((await readWishes(executor, wishIds, { view, now })).map((wish) => [wish.wishId, wish]))
  const texts = await readComparedTexts(executor, [...new Set(pairs.flatMap(({ one, other }) => [one, other]))])
  return pairs.flatMap(({ suggestionId, similarity, judgedSame, one, other, wishIds: [wishId, otherId] }) => {
    const [wish, otherWish, text, otherText] = [
      wishes.get(wishId),
      wishes.get(otherId),
      texts.get(one),
      texts.get(other),
    ]
    // A request may have been deleted since the previous statement.
    if (!wish || !otherWish || !text || !otherText) return []
    const reasons = reasonsOf(text, otherText)
    return [
      {
        suggestionId,
        similarity,
        judgedSame,
        wishes: wish.votes < otherWish.votes ? [otherWish, wish] : [wish, otherWish],
        reasons,
      },
    ]
  })
}

const readAtOnce = 200
const maxReads = 5

/** A page of open pairs, by votes times similarity. @throws ServiceError INVALID_REQUEST for a foreign cursor. */
export async function listSuggestions(
  executor: Executor,
  { limit, cursor, view, now, topic, products }: PageInput & SuggestionFilters & { view: View; now: Date },
) {
  const filters = { topic, products }
  let after = cursor === undefined ? null : cursors.decode(cursor)
  const few = await fewIds(executor, filters)
  const page = new Map<string, OpenPair>()
  let hasMore = true
  for (let reads = 0; reads < maxReads && page.size < limit && hasMore; reads++) {
    const pairs = await readPairs(executor, { filters, few, after, limit: readAtOnce })
    const open = new Map((await openPairs(executor, pairs, view)).map((pair) => [pair.suggestionId, pair]))
    hasMore = pairs.length === readAtOnce
    for (const { suggestionId, bits: position } of pairs) {
      const pair = open.get(suggestionId)
      const key = pair === undefined ? '' : keyOf(...(pair.wishIds as [string, string]))
      if (pair !== undefined && !page.has(key)) {
        if (page.size === limit) {
          hasMore = true
          break
        }
        page.set(key, pair)
      }
      after = [position, suggestionId]
    }
  }
  return {
    results: await showPairs(executor, [...page.values()], { view, now }),
    hasMore,
    cursor: hasMore && after !== null ? cursors.encode(after) : null,
  }
}
