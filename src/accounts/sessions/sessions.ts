import { createHash, createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { deleteSlice } from '../../database/delete-slice.ts'
import type { Database, Executor } from '../../database/open.ts'
import { recordIfWritable } from '../../database/writes.ts'
import type { Account } from '../../http/callers.ts'
import { dayMs } from '../../runtime/durations.ts'
import { hasBudget, hasOwnView, ownViewColumns, poolColumns, poolOf } from '../keys.ts'
import { nameSession } from './people.ts'

/** 256 random bits for a cookie or sign-in link. Only the hash is stored. */
export const generateToken = (): string => randomBytes(32).toString('base64url')

/** Other texts are not looked up. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export const hashToken = (token: string): string => sha256(token)

/** Identifies an admin key, salted with the token, which the database lacks: weak keys cannot be guessed from it. */
export const hashAdminKey = (token: string, adminKey: string): string => sha256(`${token} ${adminKey}`)

/** A session's CSRF token, derived from its token and so not stored. */
export const csrfTokenOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('base64url')

export const idleTimeMs = 30 * dayMs
/** Sessions end after this time, used or not. */
export const lifetimeMs = 90 * dayMs
/** More than a person's browsers; another session ends the least recently used. */
export const maxSessions = 50
/** Precision of a session's last use: a call must not cost a write. */
const lastUsedPrecisionMs = 10 * 60_000

/** The key a session depends on: an API key, or the admin key. */
export type Opener = { accountId: string; keyId: string } | { accountId: string | null; adminKey: string }

export interface OpeningLink {
  linkId: string
  personName: string | null
}

export interface Session {
  sessionId: string
  account: (Account & { name: string }) | null
}

/** @returns the cookie's token, of which only the hash is stored */
export async function openSession(
  executor: Executor,
  opener: Opener,
  now: Date,
  link: OpeningLink | null = null,
): Promise<string> {
  const token = generateToken()
  const { accountId } = opener
  const { id } = await executor
    .insertInto('sessions')
    .values({
      token_hash: hashToken(token),
      account_id: accountId,
      api_key_id: 'keyId' in opener ? opener.keyId : null,
      admin_key_hash: 'adminKey' in opener ? hashAdminKey(token, opener.adminKey) : null,
      link_id: link?.linkId ?? null,
      created_at: now,
      expires_at: new Date(now.getTime() + lifetimeMs),
      last_used_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (accountId !== null && link !== null && link.personName !== null)
    await nameSession(executor, { sessionId: id, accountId, personName: link.personName, now })
  const owned = accountId === null ? sql`account_id is null` : sql`account_id = ${accountId}`
  await sql`delete from sessions where id in (
    select id from sessions where id in (
      select id from sessions where ${owned} order by last_used_at desc, created_at desc, id offset ${maxSessions}
    ) for update skip locked)`.execute(executor)
  return token
}

/**
 * Also updates the last use.
 * @param adminKey the current one
 * @returns null if unknown, signed out, too old or unused, or if its key, account or admin key has ended
 */
export async function findSession(
  executor: Executor,
  token: string,
  { adminKey, now }: { adminKey: string; now: Date },
): Promise<Session | null> {
  if (!isToken(token)) return null
  const row = await executor
    .selectFrom('sessions')
    .leftJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
    .leftJoin('session_people', 'session_people.session_id', 'sessions.id')
    .leftJoin('accounts', 'accounts.id', 'sessions.account_id')
    .leftJoin('credit_balances', 'credit_balances.account_id', 'accounts.id')
    .select([
      'sessions.id',
      'sessions.last_used_at as lastUsedAt',
      'accounts.id as accountId',
      'accounts.name',
      'accounts.tier',
      'sessions.api_key_id as keyId',
      'session_people.person_name as personName',
      'api_keys.scope',
    ])
    .select([...ownViewColumns, hasBudget, ...poolColumns])
    .where('sessions.token_hash', '=', hashToken(token))
    .where('sessions.expires_at', '>', now)
    .where('sessions.last_used_at', '>', new Date(now.getTime() - idleTimeMs))
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]))
    .where('accounts.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('sessions.api_key_id', 'is not', null),
        eb('sessions.admin_key_hash', '=', hashAdminKey(token, adminKey)),
      ]),
    )
    .executeTakeFirst()
  if (!row) return null
  const { id, lastUsedAt, accountId, name, tier, keyId, personName } = row
  if (now.getTime() - lastUsedAt.getTime() >= lastUsedPrecisionMs) {
    await recordIfWritable(executor.updateTable('sessions').set({ last_used_at: now }).where('id', '=', id).execute())
  }
  const pool = poolOf(row)
  // A session without an account is the operator's; with an unreadable account it is invalid.
  if (accountId !== null && pool === null) return null
  const account =
    accountId === null || name === null || tier === null || pool === null
      ? null
      : {
          accountId,
          name,
          tier,
          hasOwnView: hasOwnView(row),
          keyId,
          personName,
          keyHasBudget: row.keyHasBudget ?? false,
          scope: row.scope ?? 'manage',
          pool,
        }
  return { sessionId: id, account }
}

/** Ends the session of a token, if any. */
export async function endSession(executor: Executor, token: string): Promise<void> {
  await executor.deleteFrom('sessions').where('token_hash', '=', hashToken(token)).execute()
}

/** Ends an account's sessions. @returns their number, including ended but undeleted ones */
export async function endSessionsOf(executor: Executor, accountId: string): Promise<number> {
  const { numDeletedRows } = await executor
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Whether any usable session exists. Those of a former admin key count until they expire: only the token tells. */
export async function isAnybodySignedIn(executor: Executor, now: Date): Promise<boolean> {
  const open = await executor
    .selectFrom('sessions')
    .leftJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
    .leftJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select('sessions.id')
    .where('sessions.expires_at', '>', now)
    .where('sessions.last_used_at', '>', new Date(now.getTime() - idleTimeMs))
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]))
    .where('accounts.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/** Deletes a batch of expired sessions. @returns whether more may remain */
export const purgeExpiredSessions = (database: Database, now: Date): Promise<boolean> =>
  deleteSlice(database, 'sessions', {
    where: sql`last_used_at <= ${new Date(now.getTime() - idleTimeMs)}::timestamptz or expires_at <= ${now}::timestamptz`,
    by: 'last_used_at',
  })
