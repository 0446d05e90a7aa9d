import { type Cursors, cursorsOf, isPositionId, isPositionNumber } from '../../http/pagination.ts'

export const wishOrders = ['votes', 'requests', 'growing', 'new'] as const

export type WishOrder = (typeof wishOrders)[number]

/**
 * The position after which a page goes on: the sort key of its last wish (votes, requests, votes gained in 7 days, or microseconds
 * since 1970 of when it was first asked for), and its id.
 */
export type WishPosition = [key: number, id: string]

export const wishCursors = Object.fromEntries(
  wishOrders.map((order) => [order, cursorsOf<WishPosition>(`wishes-${order}`, isPositionNumber, isPositionId)]),
) as Record<WishOrder, Cursors<WishPosition>>
