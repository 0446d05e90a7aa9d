import type { App } from '../../../http/app-type.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../../http/idempotency/idempotency.ts'
import { pageParameters } from '../../../http/pagination.ts'
import { closed, errorResponses } from '../../../http/schemas.ts'
import { readChannel } from '../store/channels.ts'
import { keptDays, listDeliveries, replayDelivery } from '../store/deliveries.ts'
import { type ChannelRouteDependencies, channelTags } from './dependencies.ts'
import { channelPath, deliveryIdAnswer, deliveryList, deliveryPath } from './schemas.ts'

const pathErrors = ['INVALID_REQUEST', 'UNAUTHORIZED', 'SCOPE_EXCEEDED', 'NOT_FOUND'] as const

/** The log of a channel, and sending again. */
export function registerDeliveryRoutes(app: App, dependencies: ChannelRouteDependencies): void {
  const { database, clock, secrets, authentication, idempotent } = dependencies
  const onRequest = authentication.requireManage
  app.get(
    '/api/v1/channels/:channelId/deliveries',
    {
      onRequest,
      schema: {
        operationId: 'listDeliveries',
        summary: 'List the deliveries on a channel',
        description: `The newest first, of the last ${keptDays} days. No texts are kept.`,
        ...channelTags,
        params: channelPath,
        querystring: closed(pageParameters),
        response: { 200: deliveryList, ...errorResponses(...pathErrors) },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId } = await readChannel(database, accountId, request.params.channelId, secrets)
      return { data: await listDeliveries(database, channelId, request.query) }
    },
  )
  app.post(
    '/api/v1/channels/:channelId/deliveries/:deliveryId/replay',
    {
      onRequest,
      schema: {
        operationId: 'replayDelivery',
        summary: 'Send an ended delivery again',
        description:
          'With the id of the event, so a receiver that has it already can tell. The text is made anew: what was purged meanwhile is not sent.',
        ...channelTags,
        params: deliveryPath,
        headers: idempotencyHeaders,
        response: { 200: deliveryIdAnswer, ...errorResponses(...pathErrors, ...idempotencyErrors) },
      },
    },
    async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId, deliveryId } = request.params
      return idempotent(request, reply, async (transaction) => {
        await replayDelivery(transaction, { accountId, channelId, deliveryId, now: clock.now() })
        return { data: { deliveryId } }
      })
    },
  )
}
