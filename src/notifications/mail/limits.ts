import { sql } from 'kysely'
import { deleteSlice } from '../../database/delete-slice.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'

export interface MailLimit {
  key: string
  limit: number
  windowMs: number
}

export interface MailLimits {
  accountPerHour: number
  /** Mails of all accounts to a recipient's domain per hour. */
  domainPerHour: number
  /** Confirmations that an account requests per hour. */
  accountConfirmationsPerHour: number
  /** Confirmations of all accounts to a recipient's domain per hour. */
  domainConfirmationsPerHour: number
}

export const usualLimits: MailLimits = {
  accountPerHour: 100,
  domainPerHour: 1_000,
  accountConfirmationsPerHour: 20,
  domainConfirmationsPerHour: 100,
}

/** A limit is reached; roll back its transaction's counts. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('a limit of mails is reached')
    this.retryAfterMs = retryAfterMs
  }
}

/** Counts a mail for all limits in one statement, unless a limit is reached. @throws LimitReached */
export async function countMail(transaction: Transaction, limits: readonly MailLimit[], now: Date): Promise<void> {
  // Always in one order, to avoid deadlocks.
  const sorted = [...limits].sort((a, b) => (a.key < b.key ? -1 : 1))
  const rows = sorted.map(
    ({ key, limit, windowMs }) =>
      sql`(${key}::text, ${limit}::integer, ${new Date(now.getTime() + windowMs)}::timestamptz)`,
  )
  // A window that ends after any starting now comes from a clock that was ahead.
  const isOver = sql`(kept.ends_at <= ${now}::timestamptz
    or kept.ends_at > excluded.ends_at + ${sql.lit(clockToleranceMs)} * interval '1 ms')`
  const { rows: counted } = await sql<{ key: string }>`
    insert into mail_limits as kept (key, count, ends_at)
    select key, 1, ends_at from (values ${sql.join(rows)}) as wanted (key, allowed, ends_at)
    where allowed > 0
    on conflict (key) do update set
      count = case when ${isOver} then 1 else kept.count + 1 end,
      ends_at = case when ${isOver} then excluded.ends_at else kept.ends_at end
    where ${isOver} or kept.count < (
      select allowed from (values ${sql.join(rows)}) as wanted (key, allowed, ends_at) where wanted.key = kept.key)
    returning key`.execute(transaction)
  if (counted.length === limits.length) return
  const reached = sorted.filter(({ key }) => !counted.some((row) => row.key === key))
  throw new LimitReached(await msUntilFree(transaction, reached, now))
}

async function msUntilFree(executor: Executor, reached: readonly MailLimit[], now: Date): Promise<number> {
  const ends = await executor
    .selectFrom('mail_limits')
    .select('ends_at')
    .where(
      'key',
      'in',
      reached.map(({ key }) => key),
    )
    .execute()
  const waits = ends.map(({ ends_at }) => ends_at.getTime() - now.getTime())
  // A clock that was set back must not make anyone wait longer than a window.
  const longest = Math.max(...reached.map(({ windowMs }) => windowMs))
  return Math.min(longest, Math.max(1_000, ...waits))
}

/** Uncounts a mail that was certainly not sent. */
export async function uncountMail(executor: Executor, limits: readonly MailLimit[], now: Date): Promise<void> {
  const keys = limits.map(({ key }) => key).sort()
  await sql`update mail_limits set count = count - 1 where count > 0 and ends_at > ${now}::timestamptz and key in (
    select key from mail_limits where key = any(${keys}::text[]) order by key for update)`.execute(executor)
}

/** Deletes a slice of the counts of past windows. @returns whether there may be more. */
export const purgeMailLimits = (database: Database, now: Date): Promise<boolean> =>
  deleteSlice(database, 'mail_limits', { where: sql`ends_at <= ${now}::timestamptz`, key: 'key' })
