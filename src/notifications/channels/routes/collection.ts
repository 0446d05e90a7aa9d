import type { Transaction } from '../../../database/open.ts'
import type { App } from '../../../http/app-type.ts'
import { ServiceError } from '../../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../../http/idempotency/idempotency.ts'
import { bodyErrors, errorResponses } from '../../../http/schemas.ts'
import { prepareChannel, storeChannel } from '../channels.ts'
import { listChannels, maxChannels } from '../store/channels.ts'
import { type ChannelRouteDependencies, channelTags } from './dependencies.ts'
import { channelList, madeChannel, newChannel } from './schemas.ts'

function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  throw error
}

/** The list of channels, and new ones. */
export function registerCollectionRoutes(app: App, dependencies: ChannelRouteDependencies): void {
  const { database, clock, adapters, secrets, authentication, idempotent } = dependencies
  const onRequest = authentication.requireManage
  app.get(
    '/api/v1/channels',
    {
      onRequest,
      schema: {
        operationId: 'listChannels',
        summary: "List the account's channels",
        description: 'Oldest first. Addresses and tokens are never shown.',
        ...channelTags,
        response: { 200: channelList, ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'SCOPE_EXCEEDED') },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      const types = [...adapters.values()].map(({ type, unavailable }) => ({ type, unavailable }))
      return { data: { channels: await listChannels(database, accountId, secrets), types } }
    },
  )
  app.post(
    '/api/v1/channels',
    {
      onRequest,
      schema: {
        operationId: 'createChannel',
        summary: 'Make a channel: where the account is told of events',
        description:
          `Free. An account has at most ${maxChannels} channels; one more is a 409. The address must be public. A mail address gets one ` +
          'confirmation, and nothing else until it is confirmed.',
        ...channelTags,
        headers: idempotencyHeaders,
        body: newChannel(adapters),
        response: {
          200: madeChannel,
          ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', 'NOT_FOUND', ...idempotencyErrors),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      // Outside of the transaction, because names are resolved. Not thrown yet: a repeated call gets the answer of the first one, and its secret.
      const prepared = await prepareChannel(dependencies, request.body).catch(refusalOf)
      const make = async (transaction: Transaction) => {
        if (prepared instanceof ServiceError) throw prepared
        return { data: await storeChannel(transaction, prepared, { accountId, now: clock.now() }) }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  )
}
