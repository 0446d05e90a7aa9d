import { sql } from 'kysely'
import type { Executor, Transaction } from '../../database/open.ts'
import { dayMs } from '../../runtime/durations.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'

// Answers of mailboxes to confirmations, across accounts and spellings (`mailboxHash` of address.ts).

/** A mailbox rests after this many unanswered confirmations, and after each further one. */
const askedFreely = 2
export const mailboxRestMs = 28 * dayMs

/** Counts a confirmation. @returns null if it may be sent; else when the mailbox's rest ends, or `refused`. */
export async function countConfirmation(
  transaction: Transaction,
  mailboxHash: string,
  now: Date,
): Promise<Date | 'refused' | null> {
  const rest = new Date(now.getTime() + mailboxRestMs)
  // A rest that ends after any starting now comes from a clock that was ahead.
  const { rows } = await sql`
    insert into mailboxes as kept (mailbox_hash, unanswered) values (${mailboxHash}, 1)
    on conflict (mailbox_hash) do update set unanswered = kept.unanswered + 1,
      rests_until = case when kept.unanswered + 1 >= ${sql.lit(askedFreely)} then ${rest}::timestamptz end
    where kept.refused_at is null
      and (kept.rests_until is null or kept.rests_until <= ${now}::timestamptz
        or kept.rests_until > ${rest}::timestamptz + ${sql.lit(clockToleranceMs)} * interval '1 ms')
    returning 1`.execute(transaction)
  if (rows.length > 0) return null
  const mailbox = await transaction
    .selectFrom('mailboxes')
    .select(['refused_at', 'rests_until'])
    .where('mailbox_hash', '=', mailboxHash)
    .executeTakeFirstOrThrow()
  return mailbox.refused_at !== null ? 'refused' : (mailbox.rests_until ?? rest)
}

/** Uncounts a confirmation that was certainly not sent. */
export async function uncountConfirmation(executor: Executor, mailboxHash: string): Promise<void> {
  await sql`update mailboxes set unanswered = unanswered - 1, rests_until = null
    where mailbox_hash = ${mailboxHash} and unanswered > 0`.execute(executor)
}

/** After a confirmation, the mailbox is asked without a rest again. */
export async function endRest(transaction: Transaction, mailboxHash: string): Promise<void> {
  await sql`delete from mailboxes where mailbox_hash = ${mailboxHash} and refused_at is null`.execute(transaction)
}

/** Records "do not ask me again": no account may ask the mailbox, and earlier links no longer confirm. */
export async function refuseConfirmations(transaction: Transaction, mailboxHash: string, now: Date): Promise<void> {
  await sql`
    insert into mailboxes (mailbox_hash, refused_at) values (${mailboxHash}, ${now})
    on conflict (mailbox_hash) do update set refused_at = coalesce(mailboxes.refused_at, excluded.refused_at)`.execute(
    transaction,
  )
  await sql`
    delete from mail_confirmations using mail_consents as consent
    where consent.mailbox_hash = ${mailboxHash} and consent.account_id = mail_confirmations.account_id
      and consent.address_hash = mail_confirmations.address_hash`.execute(transaction)
}

/** Revokes a refusal, by a link in a mail to the mailbox. Senders must ask again. */
export async function allowConfirmations(executor: Executor, mailboxHash: string): Promise<void> {
  await sql`delete from mailboxes where mailbox_hash = ${mailboxHash}`.execute(executor)
}
