import { isId } from '../http/ids.ts'
import { invalidField } from '../http/validation.ts'

export const listOrders = ['new', 'top'] as const

export type ListOrder = (typeof listOrders)[number]

/** The place after which a page goes on: the sort key of its last row (microseconds since 1970, or votes), and its id. */
export type Place = [key: number, id: string]

export const encodeCursor = (sortBy: ListOrder, place: Place): string =>
  Buffer.from(JSON.stringify([sortBy, ...place])).toString('base64url')

/** @throws ServiceError INVALID_REQUEST for a cursor that is not of a list in this order. */
export function decodeCursor(sortBy: ListOrder, cursor: string): Place {
  try {
    const [order, key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (order === sortBy && Number.isSafeInteger(key) && typeof id === 'string' && isId(id)) return [key as number, id]
  } catch {
    // Whatever was sent is not one of ours.
  }
  throw invalidField('cursor', 'is not a cursor of this list; start again without it')
}
