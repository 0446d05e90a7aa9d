import { sql } from 'kysely'
import { deleteSlice } from '../../database/delete-slice.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import type { ConsentState } from '../../database/tables/notifications.ts'
import { channelsOf, hashToken, isToken } from './consents.ts'
import { allowConfirmations, endRest, refuseConfirmations } from './mailboxes.ts'

interface Unsubscription {
  accountId: string
  addressHash: string
  mailboxHash: string
  state: ConsentState
  /** Whether an unused confirmation link still works. */
  isAsked: boolean
  /** Whether the mailbox refused all confirmations. */
  isRefused: boolean
}

/** The current state of the address behind a link, for its page; null for an unknown link. Read-only. */
export async function readUnsubscription(executor: Executor, token: string): Promise<Unsubscription | null> {
  if (!isToken(token)) return null
  const { rows } = await sql<Unsubscription>`
    select account_id as "accountId", address_hash as "addressHash", mailbox_hash as "mailboxHash", state,
      exists (select from mail_confirmations as link where used_at is null
        and link.account_id = consent.account_id and link.address_hash = consent.address_hash) as "isAsked",
      exists (select from mailboxes where mailbox_hash = consent.mailbox_hash and refused_at is not null) as "isRefused"
    from mail_channels join mail_consents as consent using (account_id, address_hash)
    where unsubscribe_token = ${token}`.execute(executor)
  return rows[0] ?? null
}

/** Revokes, by a link, that a mailbox refuses confirmations. @returns false for an unknown link. */
export async function allowAsking(database: Database, token: string): Promise<boolean> {
  const known = await readUnsubscription(database, token)
  if (known?.isRefused) await allowConfirmations(database, known.mailboxHash)
  return known !== null
}

/**
 * Ends an account's mails to the address behind a link; before a confirmation, no account may ask the mailbox again.
 * @param onUnsubscribed closes the channels to the address, in the same transaction
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
    const channel = await readUnsubscription(transaction, token)
    if (channel === null) return false
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
    } else if (state === 'asked' || channel.isAsked) {
      await consent().set({ state: 'refused', is_due: false, changed_at: now }).execute()
      await refuseConfirmations(transaction, channel.mailboxHash, now)
    } else {
      await consent().set({ is_due: false }).execute()
    }
    // Earlier confirmation links, which someone else may have seen.
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

/** Reads what a link says, for its page. Read-only. */
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

/** Confirms an address by token. @param onConfirmed opens its channels in the same transaction */
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
    // Serializes changes of an address: of a concurrent confirmation and unsubscription, the later counts.
    const consent = await transaction
      .selectFrom('mail_consents')
      .select(['state', 'mailbox_hash'])
      .where('account_id', '=', link.accountId)
      .where('address_hash', '=', link.addressHash)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (consent.state === 'confirmed') return 'confirmed'
    // Locked before the link, as when a mailbox refuses.
    await sql`select from mailboxes where mailbox_hash = ${consent.mailbox_hash} for update`.execute(transaction)
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
    await endRest(transaction, consent.mailbox_hash)
    await onConfirmed(transaction, await channelsOf(transaction, link))
    return 'confirmed'
  })
}

/** Deletes a slice of the expired links. @returns whether there may be more. */
export const purgeConfirmations = (database: Database, now: Date): Promise<boolean> =>
  deleteSlice(database, 'mail_confirmations', {
    ...{ where: sql`expires_at <= ${now}::timestamptz`, by: 'expires_at', key: 'token_hash' },
  })
