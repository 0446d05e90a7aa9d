import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { named } from '../../http/openapi-components.ts'
import { changing, closed, nullable, oneOf } from '../../http/schemas.ts'
import { wishProperties } from '../list/summary.ts'
import { isWishSeen, wishPath } from '../members.ts'
import { marks, markWish, maxMarkedWishes, wishMark } from './marks.ts'

const maxNoteLength = 2_000

/** An account's mark, in every answer with wishes. */
export const markProperty = { mark: nullable(wishMark) }

/** A wish in a list, with the account's mark. */
export const markedWish = closed({ ...wishProperties, ...markProperty }, named('Wish'))

const markChanges = closed(
  {
    mark: Type.Optional(nullable(oneOf(marks, { description: 'null removes it' }))),
    starred: Type.Optional(Type.Boolean()),
    note: Type.Optional(
      Type.String({ 'x-trim': true, maxLength: maxNoteLength, description: 'The empty text removes it' }),
    ),
    owner: Type.Optional(
      Type.String({ 'x-trim': true, maxLength: 100, description: 'Who looks after it; the empty text removes it' }),
    ),
  },
  { minProperties: 1, description: 'What is given changes; the rest stays' },
)

/** The mark filters of a list of wishes. */
export const markFilters = {
  mark: Type.Optional(
    oneOf([...marks, 'none'], { description: 'Only wishes with this mark of the account, or without any' }),
  ),
  starred: Type.Optional(Type.Boolean({ description: 'Only wishes with, or without, a star of the account' })),
}

const markAnswer = closed({ wishId: Type.String(), mark: nullable(wishMark) })

/** Registers the route that marks wishes. */
export function registerMarkRoutes(
  app: App,
  { database, clock, authentication }: Omit<RouteDependencies, 'idempotent'>,
): void {
  app.put('/api/v1/wishes/:wishId/mark', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'markWish',
      summary: 'Mark a wish as planned, done or ignored, with a note and a star',
      description:
        `Free, and for the account alone: no other account sees it. An account can mark ${maxMarkedWishes.toLocaleString('en-US')} wishes; ` +
        'one more is a 409.',
      tags: ['Wishes'],
      security: [{ apiKey: [] }],
      params: wishPath,
      body: markChanges,
      response: changing(markAnswer, 'NOT_FOUND', 'CONFLICT'),
    },
    handler: async (request) => {
      const wishId = request.params.wishId
      const { accountId } = authentication.accountOf(request)
      const mark = {
        accountId,
        wishId,
        changes: request.body,
        madeBy: authentication.originOf(request),
        now: clock.now(),
        isSeen: isWishSeen,
      }
      const noted = await database.transaction().execute((transaction) => markWish(transaction, mark))
      return { data: { wishId: wishId.toLowerCase(), mark: noted } }
    },
  })
}
