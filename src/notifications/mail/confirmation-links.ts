import { sql } from 'kysely'
import type { Database, Transaction } from '../../database/open.ts'
import type { ConsentState } from '../../database/tables/notifications.ts'
import { channelsOf, hashToken, isToken } from './consents.ts'
import { dayMs } from './limits.ts'

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

export type ConfirmationAnswer = 'open' | 'confirmed' | 'used' | 'unknown'

/** What a link says, for its page; changes nothing. */
export async function readConfirmation(database: Database, token: string, now: Date): Promise<ConfirmationAnswer> {
  if (!isToken(token)) return 'unknown'
  const row = await database
    .selectFrom('mail_confirmations')
    .innerJoin('mail_consents', (join) =>
      join
        .onRef('mail_consents.account_id', '=', 'mail_confirmations.account_id')
        .onRef('mail_consents.address_hash', '=', 'mail_confirmations.address_hash'),
    )
    .select(['used_at', 'state'])
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!row) return 'unknown'
  if (row.state === 'confirmed') return 'confirmed'
  return row.used_at === null ? 'open' : 'used'
}

/**
 * Confirms an address with the token of its link.
 * @param onConfirmed opens the channels to the address, in the same transaction.
 */
export function confirmAddress(
  database: Database,
  token: string,
  {
    now,
    onConfirmed,
  }: { now: Date; onConfirmed: (transaction: Transaction, channelIds: readonly string[]) => Promise<void> },
): Promise<ConfirmationAnswer> {
  return database.transaction().execute(async (transaction) => {
    if (!isToken(token)) return 'unknown'
    const link = await transaction
      .selectFrom('mail_confirmations')
      .select(['account_id as accountId', 'address_hash as addressHash', 'used_at'])
      .where('token_hash', '=', hashToken(token))
      .where('expires_at', '>', now)
      .executeTakeFirst()
    if (!link) return 'unknown'
    // Serializes what happens to an address: of a confirmation and an unsubscription at once, the later one counts.
    const consent = await transaction
      .selectFrom('mail_consents')
      .select('state')
      .where('account_id', '=', link.accountId)
      .where('address_hash', '=', link.addressHash)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (consent.state === 'confirmed') return 'confirmed'
    const { numUpdatedRows } = await transaction
      .updateTable('mail_confirmations')
      .set({ used_at: now })
      .where('token_hash', '=', hashToken(token))
      .where('used_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return 'used'
    await transaction
      .updateTable('mail_consents')
      .set({ state: 'confirmed', is_due: false, changed_at: now })
      .where('account_id', '=', link.accountId)
      .where('address_hash', '=', link.addressHash)
      .execute()
    await onConfirmed(transaction, await channelsOf(transaction, link))
    return 'confirmed'
  })
}

const sliceRows = 500

/** Deletes a slice of the links that have expired. @returns whether there may be more. */
export async function purgeConfirmations(database: Database, now: Date): Promise<boolean> {
  const { rows } = await sql`delete from mail_confirmations where token_hash = any(array(
    select token_hash from mail_confirmations where expires_at <= ${now}::timestamptz
    order by expires_at limit ${sliceRows} for update skip locked)) returning token_hash`.execute(database)
  return rows.length === sliceRows
}
