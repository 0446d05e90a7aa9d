import { cursorsOf, isPositionId, isPositionNumber } from '../../http/pagination.ts'

export const listOrders = ['new', 'votes'] as const

export type ListOrder = (typeof listOrders)[number]

/** The position after which a page goes on: the sort key of its last row (microseconds since 1970, or votes), and its id. */
export type Position = [key: number, id: string]

/** The cursors of a list in each order. */
export const listCursors = {
  new: cursorsOf<Position>('new', isPositionNumber, isPositionId),
  votes: cursorsOf<Position>('votes', isPositionNumber, isPositionId),
}
