import type { Transaction } from '../../../database/open.ts'
import type { App } from '../../../http/app-type.ts'
import { ServiceError } from '../../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../../http/idempotency/idempotency.ts'
import { pageOfShort, pageParameters } from '../../../http/pagination.ts'
import { changing, closed, errorResponses, reading } from '../../../http/schemas.ts'
import { prepareChannel, storeChannel } from '../channels.ts'
import { listChannels, maxChannels, readChannel } from '../store/channels.ts'
import { keptDays, listDeliveries, replayDelivery } from '../store/deliveries.ts'
import { registerChannelRoutesOfOne } from './channel.ts'
import {
  type ChannelRouteDependencies,
  channelList,
  channelPath,
  channelTags,
  deliveryIdAnswer,
  deliveryList,
  deliveryPath,
  madeChannel,
  newChannel,
} from './schemas.ts'

function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  throw error
}

function registerCollectionRoutes(app: App, dependencies: ChannelRouteDependencies): void {
  const { database, clock, adapters, secrets, authentication, idempotent } = dependencies
  const onRequest = authentication.requireManage
  app.get('/api/v1/channels', {
    onRequest,
    schema: {
      operationId: 'listChannels',
      summary: "List the account's channels",
      description: 'Oldest first. Addresses and tokens are never shown.',
      ...channelTags,
      querystring: closed(pageParameters),
      response: reading(channelList, 'SCOPE_EXCEEDED'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const types = [...adapters.values()].map(({ type, unavailable }) => ({ type, unavailable }))
      const channels = await listChannels(database, accountId, secrets)
      const positionOf = ({ createdAt, channelId }: (typeof channels)[number]) => `${createdAt} ${channelId}`
      return { data: { ...pageOfShort(channels, request.query, { list: 'channels', positionOf }), types } }
    },
  })
  app.post('/api/v1/channels', {
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
      response: changing(madeChannel, 'NOT_FOUND', ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const { accountId, keyId } = authentication.accountOf(request)
      // Outside the transaction, as it resolves names. Errors wait: a repeated call gets the first answer and secret.
      const prepared = await prepareChannel(dependencies, request.body).catch(refusalOf)
      const make = async (transaction: Transaction) => {
        if (prepared instanceof ServiceError) throw prepared
        const { channelId, secret } = await storeChannel(transaction, prepared, { accountId, keyId, now: clock.now() })
        const made = await readChannel(transaction, accountId, channelId, secrets)
        return { data: { ...made, ...(secret === undefined ? {} : { secret }) } }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  })
}

const pathErrors = ['INVALID_REQUEST', 'UNAUTHORIZED', 'SCOPE_EXCEEDED', 'NOT_FOUND'] as const

function registerDeliveryRoutes(app: App, dependencies: ChannelRouteDependencies): void {
  const { database, clock, secrets, authentication, idempotent } = dependencies
  const onRequest = authentication.requireManage
  app.get('/api/v1/channels/:channelId/deliveries', {
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
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId } = await readChannel(database, accountId, request.params.channelId, secrets)
      return { data: await listDeliveries(database, channelId, request.query) }
    },
  })
  app.post('/api/v1/channels/:channelId/deliveries/:deliveryId/replay', {
    onRequest,
    schema: {
      operationId: 'replayDelivery',
      summary: 'Send an ended delivery again',
      description:
        'With the id of the event, so a receiver that has it already can tell. The text is made anew: what was purged meanwhile is not sent.',
      ...channelTags,
      params: deliveryPath,
      headers: idempotencyHeaders,
      response: reading(deliveryIdAnswer, 'SCOPE_EXCEEDED', 'NOT_FOUND', ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId, deliveryId } = request.params
      return idempotent(request, reply, async (transaction) => {
        await replayDelivery(transaction, { accountId, channelId, deliveryId, now: clock.now() })
        return { data: { deliveryId } }
      })
    },
  })
}

/** Registers the routes of channels. Reading needs `manage` too: channels tell where messages go. */
export function registerChannelRoutes(app: App, dependencies: ChannelRouteDependencies): void {
  registerCollectionRoutes(app, dependencies)
  registerChannelRoutesOfOne(app, dependencies)
  registerDeliveryRoutes(app, dependencies)
}
