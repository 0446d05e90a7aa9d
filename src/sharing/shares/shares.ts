import { createHash, randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { type MadeKind, makerOf } from '../../accounts/made-by-key.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import type { Tables } from '../../database/tables.ts'
import { ServiceError } from '../../http/errors.ts'
import { dayOf } from '../../requests/timeline.ts'
import { dayMs } from '../../runtime/durations.ts'

/** 128 random bits: unguessable, yet short enough to read out. */
const makeToken = (): string => randomBytes(16).toString('base64url')

const isToken = (text: string): boolean => /^[\w-]{22}$/.test(text)

/** Tokens are random, so a plain hash is enough. */
const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

const hintOf = (token: string): string => token.slice(0, 4)

/** The URL of a share. */
export const shareUrl = (publicUrl: string, token: string): string => `${publicUrl}/s/${token}`

export const maxShares = 100
/** Enough time for the recipients to read it. */
export const defaultDays = 30
/** Forgotten shares end within a year: anyone with the link can read them, and nobody knows who has it. */
export const maxDays = 365

export type Share = Selectable<Tables['shares']>

/** What a share shows: exactly one of the four. */
export interface Shown {
  wishId?: string | undefined
  topic?: string | undefined
  view?: object | undefined
  briefId?: string | undefined
}

export interface NewShare extends Shown {
  accountId: string
  /** The creating key; null for a session without a key. */
  keyId: string | null
  personName: string | null
  title?: string | undefined
  withNotes: boolean
  expiresInDays: number
  now: Date
}

/** Creates a share. Its token is not stored and cannot be read again. @throws ServiceError CONFLICT at the maximum. */
export async function createShare(transaction: Transaction, share: NewShare): Promise<{ share: Share; token: string }> {
  const { accountId, keyId, personName, wishId, topic, view, briefId, title, withNotes, expiresInDays, now } = share
  const maker = await makerOf(transaction, { accountId, keyId, now })
  const { rows } = await sql<{ shares: number }>`
    select count(*)::integer as shares from shares where account_id = ${accountId} and expires_at > ${now}`.execute(
    transaction,
  )
  if ((rows[0]?.shares ?? 0) >= maxShares) {
    throw new ServiceError('CONFLICT', `The account has ${maxShares} shares, which is the maximum. Revoke some first.`)
  }
  const token = makeToken()
  const own = new Date(now.getTime() + expiresInDays * dayMs)
  const made = await transaction
    .insertInto('shares')
    .values({
      account_id: accountId,
      wish_id: wishId ?? null,
      topic: topic ?? null,
      view: view === undefined ? null : JSON.stringify(view),
      brief_id: briefId ?? null,
      title: title ?? null,
      with_notes: withNotes,
      token_hash: hashToken(token),
      hint: hintOf(token),
      created_at: now,
      made_by: maker.made_by,
      person_name: personName,
      expires_at: maker.expires_at !== null && maker.expires_at < own ? maker.expires_at : own,
      last_opened_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { share: made, token }
}

/** The unexpired shares of an account, oldest first. */
export const listShares = (executor: Executor, accountId: string, now: Date): Promise<Share[]> =>
  executor
    .selectFrom('shares')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/** Revokes a share: its link stops working. @returns false if the account has none with this id. */
export async function revokeShare(executor: Executor, accountId: string, shareId: string): Promise<boolean> {
  const { rows } = await sql`
    delete from shares where id = ${shareId} and account_id = ${accountId} returning 1`.execute(executor)
  return rows.length > 0
}

/** Deletes the shares of a deleted account. */
export async function deleteSharesOf(transaction: Transaction, accountId: string): Promise<void> {
  await sql`delete from shares where account_id = ${accountId}`.execute(transaction)
}

/** Finds an unexpired share by its token. */
export const findShare = async (executor: Executor, token: string, now: Date): Promise<Share | undefined> =>
  isToken(token)
    ? executor
        .selectFrom('shares')
        .selectAll()
        .where('token_hash', '=', hashToken(token))
        .where('expires_at', '>', now)
        .executeTakeFirst()
    : undefined

/** Records the day a share was opened; only its first read writes. */
export async function noteOpened(executor: Executor, { id, last_opened_at: last }: Share, now: Date): Promise<void> {
  if (last !== null && dayOf(last) === dayOf(now)) return
  await executor.updateTable('shares').set({ last_opened_at: now }).where('id', '=', id).execute()
}

/** The shares made by keys. */
export const sharesMadeByKeys: MadeKind = {
  list: async (executor, keyIds) => {
    const { rows } = await sql<{ id: string; name: string }>`
      select id, coalesce(title, topic, view ->> 'query', case when wish_id is not null then 'a wish' when brief_id is not null then 'a brief' else 'a list of wishes' end) as name
      from shares where made_by = any(${[...keyIds]}::uuid[]) order by created_at, id`.execute(executor)
    return rows
  },
  end: async (transaction, keyIds) => {
    await transaction.deleteFrom('shares').where('made_by', 'in', keyIds).execute()
  },
}

/** Deletes a slice of the expired shares. @returns whether there may be more. */
export async function deleteExpiredShares(executor: Executor, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from shares where id in (select id from shares where expires_at <= ${now} order by expires_at limit 500)`.execute(
    executor,
  )
  return numAffectedRows === 500n
}
