import type { RequestStatus } from '../database/column-types.ts'
import { count } from '../runtime/count.ts'
import type { WishDetail } from './detail.ts'

/** Votes, with the stars of a review. @param requests of the wish, one of which is the review */
export const withStars = (votes: string, stars: number | null | undefined, requests = 1): string =>
  stars ? `${votes}, ${requests > 1 ? 'one with ' : ''}${stars} of 5 stars` : votes

export const settledStatuses = ['completed', 'declined'] as const
export const isSettled = ({ status }: { status: RequestStatus | null }) =>
  settledStatuses.some((settled) => settled === status)

/** A sentence on settled requests of a wish that is not settled itself; else empty. */
export function settledInWords(wish: Pick<WishDetail, 'requestCount' | 'status' | 'statuses'>): string[] {
  const told = wish.statuses
    .filter((one) => one.requests > 0 && isSettled(one))
    .map((one) => `${one.requests.toLocaleString('en-US')} ${one.requests === 1 ? 'is' : 'are'} ${one.status}`)
  if (told.length === 0 || isSettled(wish)) return []
  return [`Of its ${count(wish.requestCount, 'request')} ${told.join(', and ')}.`]
}
