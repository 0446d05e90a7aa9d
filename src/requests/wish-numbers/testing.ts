import { sql } from 'kysely'
import type { PlatformName, RequestStatus, Standing } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import type { Voices } from '../voices/voices.ts'
import type { WishNumbers } from './numbers.ts'

/** A request, and how one account or all accounts see it. */
export interface SeenRequest {
  id: string
  tags: string[]
  topics: string[]
  platform: PlatformName
  votes: number
  status: RequestStatus | null
  confidence: number
  posted_at: Date
  author_handle: string
  standing: Standing
  wish_id: string
  own_standing: Standing | null
  own_wish_id: string | null
  merged_into: string | null
}

const statusOrder = ['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate'] as const

const best = (a: SeenRequest, b: SeenRequest): number =>
  b.votes - a.votes ||
  b.confidence - a.confidence ||
  a.posted_at.getTime() - b.posted_at.getTime() ||
  (a.id < b.id ? -1 : 1)

const isAsk = ({ platform }: SeenRequest): boolean => platform === 'import'
const votesOf = (requests: readonly SeenRequest[]): number => requests.reduce((sum, { votes }) => sum + votes, 0)

function numbersOf(wishId: string, members: readonly SeenRequest[]): WishNumbers {
  const asks = members.filter(isAsk)
  const others = members.filter((member) => !isAsk(member))
  const telling = others.length === 0 ? asks : others
  const asked = telling.map(({ posted_at }) => posted_at.getTime())
  return {
    wishId,
    requestCount: others.length,
    votes: votesOf(others),
    own: asks.length === 0 ? null : { asks: asks.length, votes: votesOf(asks) },
    platforms: [...new Set(members.map(({ platform }) => platform))].sort(),
    status: statusOrder.find((status) => telling.some((member) => member.status === status)) ?? null,
    firstAskedAt: new Date(Math.min(...asked)),
    lastAskedAt: new Date(Math.max(...asked)),
    topRequestId: [...telling].sort(best)[0]!.id,
  }
}

export interface PlainView {
  /** The wish of each likely request. */
  wishIds: Map<string, string>
  /** The wishes that have likely requests. */
  wishes: Map<string, WishNumbers>
  /** The likely requests of each. */
  members: Map<string, SeenRequest[]>
}

/** Who asks for a wish, where every author has one handle a platform and all texts are too short to be compared; `own` of what is imported. */
export function plainVoices(members: readonly SeenRequest[]): Voices & { own: number } {
  const authorsOf = (of: readonly SeenRequest[]) =>
    new Set(of.map(({ platform, author_handle }) => `${platform} ${author_handle}`)).size
  const authors = authorsOf(members.filter((member) => !isAsk(member)))
  return { voices: authors, authors, crossPosts: 0, own: authorsOf(members.filter(isAsk)) }
}

/** What the wishes of a view are, from the requests and from who belongs where: a plain model without triggers. */
export async function plainWishes(executor: Executor, account: string | null): Promise<PlainView> {
  const { rows } = await sql<SeenRequest>`
    select requests.*, array(select topic_key from request_topics where request_id = requests.id) as topics,
      coalesce(member.wish_id, requests.id) as wish_id, own.standing as own_standing,
      placed.wish_id as own_wish_id, merge.into_wish_id as merged_into
    from requests left join wish_members as member on member.request_id = requests.id
      left join account_requests as own on own.request_id = requests.id and own.account_id = ${account}::uuid
      left join account_wish_members as placed on placed.request_id = requests.id and placed.account_id = ${account}::uuid
      left join account_wish_merges as merge
        on merge.wish_id = coalesce(member.wish_id, requests.id) and merge.account_id = ${account}::uuid`.execute(
    executor,
  )
  const likely = rows.filter(({ standing, own_standing }) => (own_standing ?? standing) === 2)
  const wishOf = (row: SeenRequest) => row.own_wish_id ?? row.merged_into ?? row.wish_id
  const members = Map.groupBy(likely, wishOf)
  return {
    wishIds: new Map(likely.map((row) => [row.id, wishOf(row)])),
    members,
    wishes: new Map([...members].map(([wishId, of]) => [wishId, numbersOf(wishId, of)])),
  }
}
