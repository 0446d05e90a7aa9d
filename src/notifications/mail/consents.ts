import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { deleteSlice } from '../../database/delete-slice.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import type { ConsentState } from '../../database/tables/notifications.ts'
import { dayMs } from '../../runtime/durations.ts'
import { addressHash, type MailAddress, mailboxHash } from './address.ts'

/** 256 random bits. */
export const generateToken = (): string => randomBytes(32).toString('base64url')

/** Other texts are not looked up. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

export const confirmUrl = (publicUrl: string, token: string): string => `${publicUrl}/mail/confirm/${token}`
export const unsubscribeUrl = (publicUrl: string, token: string): string => `${publicUrl}/mail/unsubscribe/${token}`

/** Notified when a commit makes a confirmation due. */
export const confirmationsDue = 'wishwell_mail'

export interface MailChannel {
  channelId: string
  accountId: string
}

/** Adds a mail channel and queues a confirmation if needed. @returns whether it may be used at once. */
export async function addMailChannel(
  transaction: Transaction,
  { channelId, accountId }: MailChannel,
  address: MailAddress,
  now: Date,
): Promise<boolean> {
  const hash = addressHash(address)
  // An unsubscription or refusal holds until confirmed, and asking again does not hasten the next confirmation.
  const { rows } = await sql<{ state: ConsentState }>`
    insert into mail_consents as kept (account_id, address_hash, mailbox_hash, state, is_due, next_confirmation_at, changed_at)
    values (${accountId}, ${hash}, ${mailboxHash(address)}, 'asked', true, ${now}, ${now})
    on conflict (account_id, address_hash) do update set
      is_due = kept.state <> 'confirmed', confirmations = 0
    returning state`.execute(transaction)
  await transaction
    .insertInto('mail_channels')
    .values({
      channel_id: channelId,
      account_id: accountId,
      address_hash: hash,
      unsubscribe_token: generateToken(),
      created_at: now,
    })
    // Keeps an existing token, so that links of earlier mails still work.
    .onConflict((conflict) => conflict.column('channel_id').doNothing())
    .execute()
  const isConfirmed = rows[0]?.state === 'confirmed'
  if (!isConfirmed) await sql`select pg_notify(${confirmationsDue}, '')`.execute(transaction)
  return isConfirmed
}

/** How soon an account can have a confirmation resent. After two without an answer, the mailbox rests. */
export const againAfterMs = 10 * 60_000

/** Resends a confirmation within a day; repeated calls send one. @returns when it is due, apart from limits. */
export async function askAgain(transaction: Transaction, channelId: string, now: Date): Promise<Date | null> {
  const soonest = new Date(now.getTime() + againAfterMs)
  const { rows } = await sql<{ next_confirmation_at: Date }>`
    update mail_consents as consent set is_due = true,
      confirmations = case when is_due then confirmations else 0 end, next_confirmation_at = case
        when is_due then next_confirmation_at
        else greatest(${now}::timestamptz, least(${soonest}::timestamptz,
          next_confirmation_at - ${sql.lit(dayMs - againAfterMs)} * interval '1 ms'))
      end
    from mail_channels as channel
    where channel.channel_id = ${channelId} and consent.account_id = channel.account_id
      and consent.address_hash = channel.address_hash and consent.state <> 'confirmed'
    returning next_confirmation_at`.execute(transaction)
  await sql`select pg_notify(${confirmationsDue}, '')`.execute(transaction)
  return rows[0]?.next_confirmation_at ?? null
}

export interface Consent {
  state: ConsentState
  addressHash: string
  unsubscribeToken: string
}

/** The consent of a channel's address; null for an unknown channel. */
export async function readConsent(executor: Executor, channelId: string): Promise<Consent | null> {
  const row = await executor
    .selectFrom('mail_channels')
    .innerJoin('mail_consents', (join) =>
      join
        .onRef('mail_consents.account_id', '=', 'mail_channels.account_id')
        .onRef('mail_consents.address_hash', '=', 'mail_channels.address_hash'),
    )
    .select(['state', 'mail_channels.address_hash as addressHash', 'unsubscribe_token as unsubscribeToken'])
    .where('channel_id', '=', channelId)
    .executeTakeFirst()
  return row ?? null
}

export interface ConsentKey {
  accountId: string
  addressHash: string
}

/** Locks the consent of a channel's address. Always before a row of `channels`, by all who change both. */
export async function lockConsent(transaction: Transaction, channelId: string): Promise<void> {
  await sql`
    select from mail_consents as consent join mail_channels as channel using (account_id, address_hash)
    where channel.channel_id = ${channelId} for no key update of consent`.execute(transaction)
}

/** How long links still unsubscribe after a channel was deleted. */
const keptLinkMs = 60 * dayMs

/** Marks channels as deleted. Their links still unsubscribe for a while: other channels may use the address. */
export async function endMailChannels(
  transaction: Transaction,
  channelIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql`update mail_channels set deleted_at = ${now} where channel_id = any(${[...channelIds]}::uuid[])`.execute(
    transaction,
  )
}

/** Deletes a slice of the data of channels deleted long ago. @returns whether there may be more. */
export function purgeMailChannels(database: Database, now: Date): Promise<boolean> {
  const where = sql`deleted_at <= ${new Date(now.getTime() - keptLinkMs)}::timestamptz`
  return deleteSlice(database, 'mail_channels', { where, by: 'deleted_at', key: 'channel_id' })
}

/** The channels to an address that are not deleted, newest first. */
export async function channelsOf(executor: Executor, { accountId, addressHash: hash }: ConsentKey): Promise<string[]> {
  const rows = await executor
    .selectFrom('mail_channels')
    .select('channel_id')
    .where('account_id', '=', accountId)
    .where('address_hash', '=', hash)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('channel_id')
    .limit(500)
    .execute()
  return rows.map(({ channel_id }) => channel_id)
}

/** After a bounce, the address must be confirmed again. */
export async function withdrawConsent(transaction: Transaction, key: ConsentKey, now: Date): Promise<void> {
  await transaction
    .updateTable('mail_consents')
    .set({ state: 'asked', is_due: false, changed_at: now })
    .where('account_id', '=', key.accountId)
    .where('address_hash', '=', key.addressHash)
    .where('state', 'in', ['asked', 'confirmed'])
    .execute()
}

/** Deletes all mail data of an account. */
export async function deleteMailOf(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.deleteFrom('mail_consents').where('account_id', '=', accountId).execute()
}
