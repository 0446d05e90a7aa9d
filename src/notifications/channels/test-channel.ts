import { sql } from 'kysely'
import { noteEvent } from '../../accounts/events/events.ts'
import { ServiceError } from '../../http/errors.ts'
import type { DeliveryOutcome } from './adapter.ts'
import { type ChannelsDependencies, openConfig } from './channels.ts'
import { lockChannel } from './store/channels.ts'

const timeLimitMs = 12_000

const sentence = (outcome: DeliveryOutcome) => (outcome.outcome === 'delivered' ? null : outcome.error.slice(0, 200))

/**
 * Sends a test on a channel at once, whether it is enabled or not. The log has it; it is not tried again.
 * @throws ServiceError NOT_FOUND; CONFLICT for an unconfirmed channel, and one whose secret cannot be opened.
 */
export async function testChannel(
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
  // Not when the channel was deleted meanwhile.
  await sql`
    insert into channel_deliveries (channel_id, event_id, message_id, state, attempts, created_at, last_attempt_at, ended_at, last_status, last_error)
    select id, ${eventId}::uuid, ${eventId}::uuid, ${delivered ? 'delivered' : 'failed'}::text, 1, ${now}::timestamptz, ${endedAt}::timestamptz,
      ${endedAt}::timestamptz, ${status}::integer, ${sentence(outcome)}::text
    from channels where id = ${row.id}`.execute(database)
  return { delivered, status, error: sentence(outcome), eventId }
}
