import type { App } from '../../http/app-type.ts'
import { bodyErrors, errorResponses } from '../../http/schemas.ts'
import type { WishCorrectionDependencies } from '../corrections/dependencies.ts'
import { isWishSeen } from '../corrections/members.ts'
import { wishPath } from '../corrections/schemas.ts'
import { markWish, maxMarkedWishes } from './marks.ts'
import { markAnswer, markChanges } from './schemas.ts'

/** The route by which accounts mark wishes. */
export function registerMarkRoutes(
  app: App,
  { database, clock, authentication }: Omit<WishCorrectionDependencies, 'idempotent'>,
): void {
  app.put(
    '/api/v1/wishes/:id/mark',
    {
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
        response: { 200: markAnswer, ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', 'NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request) => {
      const wishId = request.params.id
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
  )
}
