import { sql } from 'kysely'
import { noteEvent } from '../../../accounts/events/events.ts'
import type { App } from '../../../http/app-type.ts'
import { ServiceError } from '../../../http/errors.ts'
import { changing, reading } from '../../../http/schemas.ts'
import type { DeliveryOutcome } from '../adapter.ts'
import {
  askReceiverAgain,
  type ChannelsDependencies,
  changeChannel,
  enableChannel,
  openConfig,
  removeChannel,
} from '../channels.ts'
import { lockChannel, readChannel } from '../store/channels.ts'
import {
  askedAgain,
  type ChannelRouteDependencies,
  channelAnswer,
  channelChanges,
  channelIdAnswer,
  channelPath,
  channelTags,
  testAnswer,
} from './schemas.ts'

const timeLimitMs = 12_000

const sentence = (outcome: DeliveryOutcome) => (outcome.outcome === 'delivered' ? null : outcome.error.slice(0, 200))

/** Sends a logged test on a channel, even a disabled one. @throws ServiceError NOT_FOUND, CONFLICT */
async function testChannel(
  { database, clock, secrets, adapters, renderEvent, publicUrl, log }: ChannelsDependencies,
  { accountId, channelId }: { accountId: string; channelId: string },
) {
  const now = clock.now()
  const channel = await database.transaction().execute(async (transaction) => {
    const row = await lockChannel(transaction, accountId, channelId)
    if (row.state === 'unconfirmed') throw new ServiceError('CONFLICT', 'The address has not been confirmed.')
    const config = openConfig(secrets, row)
    const subject = { channelId: row.id }
    const eventId = await noteEvent(transaction, { accountId, type: 'channel.test', subject, now })
    await transaction.updateTable('events').set({ fanned_out_at: now }).where('id', '=', eventId).execute()
    return { row, config, eventId, subject }
  })
  const { row, config, eventId, subject } = channel
  const adapter = adapters.get(row.type)
  const event = { eventId, type: 'channel.test', subject, occurredAt: now } as const
  const message = await renderEvent({ executor: database, accountId, event, now, publicUrl: publicUrl() })
  const context = {
    channelId: row.id,
    accountId,
    channelName: row.name,
    now,
    publicUrl: publicUrl(),
    signal: AbortSignal.timeout(timeLimitMs),
  }
  const failedBySelf: DeliveryOutcome = { outcome: 'failed', error: 'The service could not try it.' }
  const none: DeliveryOutcome = { outcome: 'failed', error: 'The operator does not offer channels of this type now.' }
  const outcome: DeliveryOutcome = adapter
    ? await adapter.deliver(config, message!, context).catch((error: unknown) => {
        log.error({ err: error, channel: row.id }, 'a test was not delivered')
        return failedBySelf
      })
    : none
  const delivered = outcome.outcome === 'delivered'
  const status = outcome.outcome === 'postponed' ? null : (outcome.status ?? null)
  const endedAt = clock.now()
  // Unless the channel was deleted meanwhile.
  await sql`
    insert into channel_deliveries (channel_id, event_id, message_id, state, attempts, created_at, last_attempt_at, ended_at, last_status, last_error)
    select id, ${eventId}::uuid, ${eventId}::uuid, ${delivered ? 'delivered' : 'failed'}::text, 1, ${now}::timestamptz, ${endedAt}::timestamptz,
      ${endedAt}::timestamptz, ${status}::integer, ${sentence(outcome)}::text
    from channels where id = ${row.id}`.execute(database)
  return { delivered, status, error: sentence(outcome), eventId }
}

/** Registers the routes of one channel. */
export function registerChannelRoutesOfOne(app: App, dependencies: ChannelRouteDependencies): void {
  registerRead(app, dependencies)
  registerChange(app, dependencies)
  registerDelete(app, dependencies)
  registerTest(app, dependencies)
  registerConfirmation(app, dependencies)
}

function registerRead(app: App, { database, secrets, authentication }: ChannelRouteDependencies): void {
  app.get('/api/v1/channels/:channelId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'readChannel',
      summary: 'Read a channel',
      ...channelTags,
      params: channelPath,
      response: reading(channelAnswer, 'SCOPE_EXCEEDED', 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      return { data: await readChannel(database, accountId, request.params.channelId, secrets) }
    },
  })
}

function registerChange(app: App, dependencies: ChannelRouteDependencies): void {
  const { database, clock, secrets, authentication } = dependencies
  app.patch('/api/v1/channels/:channelId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'changeChannel',
      summary: 'Change what a channel is told, and when; or have a disabled one deliver again',
      description: 'What is not given stays. The address cannot be changed: another address is another channel.',
      ...channelTags,
      params: channelPath,
      body: channelChanges,
      response: changing(channelAnswer, 'NOT_FOUND', 'CONFLICT'),
    },
    handler: async (request) => {
      const { accountId, keyId } = authentication.accountOf(request)
      const { channelId } = request.params
      const { state, ...changes } = request.body
      const now = clock.now()
      return database.transaction().execute(async (transaction) => {
        if (state === 'active') await enableChannel(transaction, dependencies, { accountId, keyId, channelId, now })
        await changeChannel(transaction, { accountId, channelId, changes, now })
        return { data: await readChannel(transaction, accountId, channelId, secrets) }
      })
    },
  })
}

function registerDelete(app: App, { database, clock, adapters, authentication }: ChannelRouteDependencies): void {
  app.delete('/api/v1/channels/:channelId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'deleteChannel',
      summary: 'Delete a channel with its log',
      description: 'What is pending on it is not sent. Watches that named it do not name it any more.',
      ...channelTags,
      params: channelPath,
      response: reading(channelIdAnswer, 'SCOPE_EXCEEDED', 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId } = request.params
      await database
        .transaction()
        .execute((transaction) => removeChannel(transaction, adapters, { accountId, channelId, now: clock.now() }))
      return { data: { channelId } }
    },
  })
}

function registerTest(app: App, dependencies: ChannelRouteDependencies): void {
  const { authentication } = dependencies
  app.post('/api/v1/channels/:channelId/test', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'testChannel',
      summary: 'Send a test on a channel at once, and say what came of it',
      description: 'Also on a disabled channel. It is tried once, and the log has it.',
      ...channelTags,
      params: channelPath,
      response: reading(testAnswer, 'SCOPE_EXCEEDED', 'NOT_FOUND', 'CONFLICT'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      return { data: await testChannel(dependencies, { accountId, channelId: request.params.channelId }) }
    },
  })
}

function registerConfirmation(app: App, dependencies: ChannelRouteDependencies): void {
  const { database, clock, authentication } = dependencies
  app.post('/api/v1/channels/:channelId/confirmation', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'resendConfirmation',
      summary: 'Send the confirmation of a mail address again',
      description:
        'Ten minutes after the last one at the earliest, once however often it is called. A mailbox that did not answer twice gets none for four weeks.',
      ...channelTags,
      params: channelPath,
      response: reading(askedAgain, 'SCOPE_EXCEEDED', 'NOT_FOUND', 'CONFLICT'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId } = request.params
      const confirmationAt = await database
        .transaction()
        .execute((transaction) =>
          askReceiverAgain(transaction, dependencies, { accountId, channelId, now: clock.now() }),
        )
      return { data: { channelId, confirmationAt: confirmationAt.toISOString() } }
    },
  })
}
