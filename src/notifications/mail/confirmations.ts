import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../database/open.ts'
import { dayMs, hourMs } from '../../runtime/durations.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import { type MailAddress, mailboxHash } from './address.ts'
import {
  type ConsentKey,
  channelsOf,
  confirmUrl,
  generateToken,
  hashToken,
  unsubscribeUrl,
  withdrawConsent,
} from './consents.ts'
import { countMail, LimitReached, type MailLimit, type MailLimits, uncountMail, usualLimits } from './limits.ts'
import { countConfirmation, uncountConfirmation } from './mailboxes.ts'
import type { Mailer } from './mailer.ts'
import { confirmationContent } from './templates/content.ts'

const confirmationTimeMs = 7 * dayMs
/** The wait before retrying a confirmation that was certainly not sent. */
const retryMs = 10 * 60_000
/** After this many possibly sent ones, the account must ask again. */
const maxConfirmations = 3

/** An address to ask, with a channel to it. */
export interface AddressOfChannel {
  channelId: string
  address: MailAddress
}

export interface ConfirmationDependencies {
  database: Database
  mailer: Mailer
  publicUrl: () => string
  /** The address of the first of these channels that awaits confirmation; null if none does. */
  addressOf: (channelIds: readonly string[]) => Promise<AddressOfChannel | null>
  /** Called if the address takes no mail. */
  onBounce: (transaction: Transaction, channelIds: readonly string[], now: Date) => Promise<void>
  limits?: MailLimits
  /** Logs unsent confirmations, without the address. */
  log: Pick<Logger, 'warn'>
}

const limitsOf = ({ accountId }: ConsentKey, address: MailAddress, limits: MailLimits): MailLimit[] => [
  { key: `confirm account ${accountId}`, limit: limits.accountConfirmationsPerHour, windowMs: hourMs },
  { key: `confirm domain ${address.domain}`, limit: limits.domainConfirmationsPerHour, windowMs: hourMs },
]

const dayAfter = (now: Date) => new Date(now.getTime() + dayMs)

interface DueConsent extends ConsentKey {
  dueAt: Date
}

const findDue = (database: Database, now: Date, limit: number): Promise<DueConsent[]> =>
  database
    .selectFrom('mail_consents')
    .select(['account_id as accountId', 'address_hash as addressHash', 'next_confirmation_at as dueAt'])
    .where('is_due', '=', true)
    .where('next_confirmation_at', '<=', now)
    .orderBy('next_confirmation_at')
    .limit(limit)
    .execute()

/** Changes a due consent, unless someone else did meanwhile. @returns whether it was changed. */
async function changeDue(
  executor: Database | Transaction,
  { accountId, addressHash }: ConsentKey,
  expected: Date,
  change: { is_due?: boolean; next_confirmation_at?: Date; confirmations?: ReturnType<typeof sql<number>> },
): Promise<boolean> {
  const { numUpdatedRows } = await executor
    .updateTable('mail_consents')
    .set(change)
    .where('account_id', '=', accountId)
    .where('address_hash', '=', addressHash)
    .where('is_due', '=', true)
    .where('next_confirmation_at', '=', expected)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Claims an address for a day before sending. Not by `claimed-work.ts`: a dead process may have sent it, so nobody
 * takes over. Null if another process was faster or the mailbox may not be asked.
 * @throws LimitReached also while the mailbox rests.
 */
function claim(
  database: Database,
  due: DueConsent,
  { limits, mailbox, now }: { limits: readonly MailLimit[]; mailbox: string; now: Date },
): Promise<string | null> {
  return database.transaction().execute(async (transaction) => {
    const claimed = await changeDue(transaction, due, due.dueAt, {
      next_confirmation_at: dayAfter(now),
      confirmations: sql<number>`confirmations + 1`,
    })
    if (!claimed) return null
    const rests = await countConfirmation(transaction, mailbox, now)
    if (rests === 'refused') {
      await changeDue(transaction, due, dayAfter(now), { is_due: false })
      return null
    }
    // Tried daily, because the rest ends if the mailbox confirms for another account.
    if (rests !== null) throw new LimitReached(Math.min(rests.getTime() - now.getTime(), dayMs))
    await countMail(transaction, limits, now)
    const token = generateToken()
    await transaction
      .insertInto('mail_confirmations')
      .values({
        token_hash: hashToken(token),
        account_id: due.accountId,
        address_hash: due.addressHash,
        expires_at: new Date(now.getTime() + confirmationTimeMs),
      })
      .execute()
    return token
  })
}

async function sendClaimed(
  dependencies: ConfirmationDependencies,
  key: ConsentKey,
  sending: AddressOfChannel & {
    token: string
    limits: readonly MailLimit[]
    now: Date
    signal: AbortSignal | undefined
  },
): Promise<void> {
  const { database, mailer, publicUrl, onBounce, log } = dependencies
  const { token, address, channelId, limits, now, signal } = sending
  const base = publicUrl()
  const row = await database
    .selectFrom('mail_channels')
    .select('unsubscribe_token')
    .where('channel_id', '=', channelId)
    .executeTakeFirstOrThrow()
  const refuseUrl = unsubscribeUrl(base, row.unsubscribe_token)
  const result = await mailer.send({
    to: address,
    content: confirmationContent({ publicUrl: base, confirmUrl: confirmUrl(base, token), refuseUrl }),
    identity: `confirmation ${token}`,
    unsubscribeUrl: refuseUrl,
    now,
    signal,
  })
  if (!result.sent) log.warn({ channelId, error: result.error }, 'a confirmation was not sent')
  const claimedUntil = dayAfter(now)
  if (result.sent) {
    await changeDue(database, key, claimedUntil, { is_due: false })
  } else if (result.kind === 'bounced') {
    await database.transaction().execute(async (transaction) => {
      await withdrawConsent(transaction, key, now)
      await onBounce(transaction, await channelsOf(transaction, key), now)
    })
  } else if (!result.failure.isUncertain) {
    await database.transaction().execute(async (transaction) => {
      const isOurs = await changeDue(transaction, key, claimedUntil, {
        next_confirmation_at: new Date(now.getTime() + retryMs),
        confirmations: sql<number>`confirmations - 1`,
      })
      if (isOurs) {
        // In the order of counting, because both lock rows.
        await uncountConfirmation(transaction, mailboxHash(address))
        await uncountMail(transaction, limits, now)
      }
      await transaction.deleteFrom('mail_confirmations').where('token_hash', '=', hashToken(token)).execute()
    })
  }
}

/** Sends one confirmation. At a limit it waits; after a failure of our own, it lets the others go first. */
async function sendOne(
  dependencies: ConfirmationDependencies,
  due: DueConsent,
  now: Date,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { database, addressOf, limits: allowed = usualLimits } = dependencies
  try {
    const found = await addressOf(await channelsOf(database, due))
    if (found === null) {
      await changeDue(database, due, due.dueAt, { is_due: false })
      return
    }
    const limits = limitsOf(due, found.address, allowed)
    const token = await claim(database, due, { limits, mailbox: mailboxHash(found.address), now })
    if (token !== null) await sendClaimed(dependencies, due, { ...found, token, limits, now, signal })
  } catch (error) {
    const waitMs = error instanceof LimitReached ? error.retryAfterMs : retryMs
    await changeDue(database, due, due.dueAt, { next_confirmation_at: new Date(now.getTime() + waitMs) })
    if (!(error instanceof LimitReached)) throw error
  }
}

/** Caps due times at a day from now, the longest wait (the clock may have moved). @returns how many. */
export async function correctConfirmations(database: Database, now: Date): Promise<number> {
  const latest = new Date(dayAfter(now).getTime() + clockToleranceMs)
  const { numAffectedRows } = await sql`update mail_consents set next_confirmation_at = ${latest}
    where is_due and next_confirmation_at > ${latest}::timestamptz`.execute(database)
  return Number(numAffectedRows)
}

const sliceSize = 10

/** Sends due confirmations, a few at a time. @returns whether there may be more. */
export async function sendConfirmations(
  dependencies: ConfirmationDependencies,
  now: Date,
  signal?: AbortSignal,
): Promise<boolean> {
  const { database } = dependencies
  // Sent often enough: these wait for the account to ask again.
  await sql`update mail_consents set is_due = false
    where is_due and confirmations >= ${maxConfirmations} and next_confirmation_at <= ${now}::timestamptz`.execute(
    database,
  )
  const due = await findDue(database, now, sliceSize)
  // Concurrently, so that a hanging server delays ten of them by one minute, not ten.
  const results = await Promise.allSettled(due.map((one) => sendOne(dependencies, one, now, signal)))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return due.length === sliceSize
}
