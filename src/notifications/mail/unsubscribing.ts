import type { Database, Transaction } from '../../database/open.ts'
import type { ConsentState } from '../../database/tables/notifications.ts'
import { channelsOf } from './consents.ts'
import { dayMs } from './limits.ts'
import { isToken } from './tokens.ts'

/** How long somebody is not asked again who said no to a confirmation. */
const refusalTimeMs = 30 * dayMs

/** What the address behind a link says now, for its page; null for an unknown link. Changes nothing. */
export async function readUnsubscription(database: Database, token: string): Promise<ConsentState | null> {
  if (!isToken(token)) return null
  const row = await database
    .selectFrom('mail_channels')
    .innerJoin('mail_consents', (join) =>
      join
        .onRef('mail_consents.account_id', '=', 'mail_channels.account_id')
        .onRef('mail_consents.address_hash', '=', 'mail_channels.address_hash'),
    )
    .select('state')
    .where('unsubscribe_token', '=', token)
    .executeTakeFirst()
  return row?.state ?? null
}

/**
 * Ends all mails of an account to the address behind a link. A second time changes nothing.
 * @param onUnsubscribed closes the channels to the address, in the same transaction.
 * @returns false for an unknown link.
 */
export function unsubscribe(
  database: Database,
  token: string,
  {
    now,
    onUnsubscribed,
  }: {
    now: Date
    onUnsubscribed: (transaction: Transaction, channelIds: readonly string[], now: Date) => Promise<void>
  },
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    if (!isToken(token)) return false
    const channel = await transaction
      .selectFrom('mail_channels')
      .select(['account_id as accountId', 'address_hash as addressHash'])
      .where('unsubscribe_token', '=', token)
      .executeTakeFirst()
    if (!channel) return false
    const consent = () =>
      transaction
        .updateTable('mail_consents')
        .where('account_id', '=', channel.accountId)
        .where('address_hash', '=', channel.addressHash)
    const { state } = await transaction
      .selectFrom('mail_consents')
      .select('state')
      .where('account_id', '=', channel.accountId)
      .where('address_hash', '=', channel.addressHash)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (state === 'confirmed') {
      await consent().set({ state: 'unsubscribed', is_due: false, changed_at: now }).execute()
    } else if (state === 'asked') {
      const next = new Date(now.getTime() + refusalTimeMs)
      await consent().set({ state: 'refused', is_due: false, next_confirmation_at: next, changed_at: now }).execute()
    } else {
      await consent().set({ is_due: false }).execute()
    }
    // The links of earlier confirmations, which somebody else may have seen.
    await transaction
      .deleteFrom('mail_confirmations')
      .where('account_id', '=', channel.accountId)
      .where('address_hash', '=', channel.addressHash)
      .execute()
    await onUnsubscribed(transaction, await channelsOf(transaction, channel), now)
    return true
  })
}
