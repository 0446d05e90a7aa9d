import { sql } from 'kysely'
import { noteEvent } from '../../../accounts/events/events.ts'
import type { Database, Transaction } from '../../../database/open.ts'
import type { ChannelStates, DisabledReason } from '../adapter.ts'

/** Ends a channel's pending deliveries, which can be replayed. */
const endPending = (transaction: Transaction, channelId: string, now: Date) =>
  sql`
    update channel_deliveries set state = 'failed', due_at = null, ended_at = ${now}, last_error = 'The channel was disabled.'
    where channel_id = ${channelId} and due_at is not null`.execute(transaction)

/** Disables a channel, ends its deliveries and tells the account elsewhere. @returns false if nothing changed. */
export async function disableChannel(
  transaction: Transaction,
  channelId: string,
  reason: DisabledReason,
  now: Date,
): Promise<boolean> {
  const disabled = await transaction
    .updateTable('channels')
    .set({ state: 'disabled', disabled_reason: reason, due_at: null, rests_until: null })
    .where('id', '=', channelId)
    .where('state', '<>', 'disabled')
    .returning('account_id')
    .executeTakeFirst()
  if (!disabled) return false
  await endPending(transaction, channelId, now)
  await noteEvent(transaction, {
    accountId: disabled.account_id,
    type: 'channel.disabled',
    subject: { channelId },
    now,
  })
  return true
}

/** Disables channels whose maker has expired: a one-hour key must not send afterwards. */
export async function disableExpired(database: Database, now: Date): Promise<void> {
  const expired = await database
    .selectFrom('channels')
    .select('id')
    .where('expires_at', '<=', now)
    .where('state', '<>', 'disabled')
    .orderBy('id')
    .execute()
  for (const { id } of expired) {
    await database.transaction().execute(async (transaction) => {
      // Someone may have enabled it meanwhile.
      const { rows } =
        await sql`select from channels where id = ${id} and expires_at <= ${now}::timestamptz for update`.execute(
          transaction,
        )
      if (rows.length > 0) await disableChannel(transaction, id, 'expired', now)
    })
  }
}

export const channelStates: ChannelStates = {
  confirm: async (executor, channelId) => {
    const { numUpdatedRows } = await executor
      .updateTable('channels')
      .set({ state: 'active' })
      .where('id', '=', channelId)
      .where('state', '=', 'unconfirmed')
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },
  disable: disableChannel,
}
