import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { type RequestRecord, readRequests, type TextChoice } from '../../requests/record.ts'
import type { View } from '../../requests/views/view.ts'
import { readWishNumbers } from '../../requests/wishes/numbers.ts'
import { readMembers } from '../list/members.ts'
import type { PossiblySame } from '../list/possibly-same.ts'

export interface SimilarRequest extends RequestRecord {
  /** 0 to 1 */
  similarity: number
  /** Whether both are members of one wish: else it is possibly the same. */
  sameWish: boolean
}

export interface SimilarInput extends TextChoice {
  view: View
  /** The maximum of requests. */
  limit: number
  possiblySame: PossiblySame
}

/** The other members of the wish of a request, and after them what is possibly the same. */
export async function findSimilar(
  executor: Executor,
  { _id: requestId, wish }: RequestRecord,
  { fullText, view, limit, possiblySame }: SimilarInput,
): Promise<SimilarRequest[]> {
  const members = wish === null ? [] : await readMembers(executor, wish.wishId, { view, except: requestId, limit })
  const similarities = new Map(members.map(({ id, similarity }) => [id, { similarity, sameWish: true }]))
  if (members.length < limit) {
    const others = await possiblySame(executor, { wishId: wish?.wishId ?? requestId, requestId, view })
    for (const { requestId: id, similarity } of others) {
      if (id !== requestId && !similarities.has(id)) similarities.set(id, { similarity, sameWish: false })
    }
  }
  const records = await readRequests(executor, [...similarities.keys()].slice(0, limit), { fullText, view })
  return records.map((record) => ({ ...record, ...similarities.get(record._id)! }))
}

/** The sums of the likely members of the wish of a request; of the request alone, where it has no wish. */
export interface WishSums {
  votes: number
  requests: number
  platforms: PlatformName[]
}

export async function readSums(
  executor: Executor,
  { wish, votes, sourcePlatform }: RequestRecord,
  view: View,
): Promise<WishSums> {
  const numbers = wish === null ? undefined : (await readWishNumbers(executor, [wish.wishId], view)).get(wish.wishId)
  if (numbers === undefined) return { votes, requests: 1, platforms: [sourcePlatform as PlatformName] }
  return { votes: numbers.votes, requests: numbers.requestCount, platforms: numbers.platforms }
}
