import { type Static, Type } from 'typebox'
import { requestStatuses } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { closed, moment, nullable, oneOf } from '../../http/schemas.ts'
import { readRequests, requestRecord } from '../../requests/record.ts'
import type { View } from '../../requests/views/view.ts'
import { readWishNumbers, type WishNumbers } from '../../requests/wishes/numbers.ts'
import { readGrowth } from './growth.ts'

/** A wish as the interface gives it. All numbers are those of its likely requests, as the account of the caller sees them. */
export const wishProperties = {
  wishId: Type.String({ description: 'Identifier of the wish; it stays while requests join and leave' }),
  title: Type.String({ description: 'That of `topRequest`' }),
  requestCount: Type.Integer({ description: 'How many likely requests ask for it' }),
  votes: Type.Integer({ description: 'Of all of them together' }),
  platforms: Type.Array(Type.String(), { description: 'Where they were posted' }),
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
      description:
        'How many votes they gained in the last 7 and 30 UTC days, today included; of requests that were already in the cache before. ' +
        'null while there are none, so that it is not known yet',
    },
  ),
  topRequest: requestRecord,
}

const wishSummary = closed(wishProperties)

export type WishSummary = Static<typeof wishSummary>

const toSummary = (
  numbers: WishNumbers,
  growth: WishSummary['growth'],
  topRequest: WishSummary['topRequest'],
): WishSummary => ({
  wishId: numbers.wishId,
  title: topRequest.title,
  requestCount: numbers.requestCount,
  votes: numbers.votes,
  platforms: numbers.platforms,
  status: numbers.status,
  firstAskedAt: numbers.firstAskedAt.toISOString(),
  lastAskedAt: numbers.lastAskedAt.toISOString(),
  growth,
  topRequest,
})

/** The wishes with these ids, at most 100 of them, in the order of the ids; one that does not exist in the view is left out. */
export async function readWishes(
  executor: Executor,
  wishIds: readonly string[],
  { view, now }: { view: View; now: Date },
): Promise<WishSummary[]> {
  const numbers = await readWishNumbers(executor, wishIds, view)
  const found = wishIds.flatMap((id) => numbers.get(id) ?? [])
  if (found.length === 0) return []
  const growth = await readGrowth(executor, [...numbers.keys()], { view, now })
  const top = await readRequests(
    executor,
    found.map(({ topRequestId }) => topRequestId),
    { fullText: false, view: { ...view, least: 2 } },
  )
  const records = new Map(top.map((record) => [record._id, record]))
  return found.flatMap((wish) => {
    const record = records.get(wish.topRequestId)
    return record === undefined
      ? []
      : [toSummary(wish, growth.get(wish.wishId) ?? { days7: null, days30: null }, record)]
  })
}
