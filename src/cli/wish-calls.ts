import { randomUUID } from 'node:crypto'
import type { WishMark } from '../wishes/marks/marks.ts'
import type { MarkChanges, ShownWish, WishCorrectionsAnswer, WishesAnswer } from './api-types.ts'
import type { Connection } from './connection.ts'

export interface WishListQuery {
  sortBy?: string
  mark?: string
  starred?: boolean
  topic?: string
  limit?: number
  cursor?: string
}

/** The calls about wishes. All of them throw ApiError. */
export interface WishCalls {
  list(query: WishListQuery): Promise<WishesAnswer>
  read(wishId: string, query: { limit?: number; cursor?: string }): Promise<{ data: ShownWish }>
  merge(wishId: string, otherWishId: string): Promise<{ data: { correctionId: string; wishId: string } }>
  split(
    wishId: string,
    requestIds: readonly string[],
  ): Promise<{ data: { correctionId: string; wishId: string; newWishId: string } }>
  listCorrections(query: { limit?: number; cursor?: string }): Promise<WishCorrectionsAnswer>
  undo(correctionId: string): Promise<{ data: { correctionId: string } }>
  mark(wishId: string, changes: MarkChanges): Promise<{ data: { wishId: string; mark: WishMark | null } }>
}

const path = '/api/v1/wishes'
const wishPath = (wishId: string) => `${path}/${encodeURIComponent(wishId)}`
const withQuery = (address: string, query: object) => {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text === '' ? address : `${address}?${text}`
}

export function createWishCalls(call: Connection['call']): WishCalls {
  const correct = <Answer>(wishId: string, what: 'merge' | 'split', body: object) =>
    call<Answer>(`${wishPath(wishId)}/${what}`, {
      method: 'POST',
      body,
      headers: { 'idempotency-key': randomUUID() },
    })
  return {
    list: (query) => call(withQuery(path, query)),
    read: (wishId, query) => call(withQuery(wishPath(wishId), query)),
    merge: (wishId, otherWishId) => correct(wishId, 'merge', { wishId: otherWishId }),
    split: (wishId, requestIds) => correct(wishId, 'split', { requestIds }),
    listCorrections: (query) => call(withQuery(`${path}/corrections`, query)),
    undo: (correctionId) => call(`${path}/corrections/${encodeURIComponent(correctionId)}`, { method: 'DELETE' }),
    mark: (wishId, changes) => call(`${wishPath(wishId)}/mark`, { method: 'PUT', body: changes }),
  }
}
