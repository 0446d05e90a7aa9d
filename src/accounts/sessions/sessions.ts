import { sql } from 'kysely'
import type { Database, Executor } from '../../database/open.ts'
import type { Account } from '../../http/callers.ts'
import { generateToken, hashAdminKey, hashToken, isToken } from './tokens.ts'

const dayMs = 24 * 60 * 60_000
/** Unused for so long, a session ends. */
export const idleTimeMs = 30 * dayMs
/** It ends then, however much it is used. */
export const lifetimeMs = 90 * dayMs
/** More than anybody has browsers; one more ends the one that was unused for longest. */
export const maxSessions = 50
/** A session's use is written down at most this often: a call must not cost a write. */
const lastUsedPrecisionMs = 10 * 60_000

/** What a session is opened with, and ends with: an account's key, or the admin key (for an account: that of its link). */
export type Opener = { accountId: string; keyId: string } | { accountId: string | null; adminKey: string }

export interface Session {
  sessionId: string
  /** Null for the operator. */
  account: (Account & { name: string }) | null
}

/** Signs somebody in. @returns the token for the cookie, of which only the hash is kept. */
export async function openSession(executor: Executor, opener: Opener, now: Date): Promise<string> {
  const token = generateToken()
  const { accountId } = opener
  await executor
    .insertInto('sessions')
    .values({
      token_hash: hashToken(token),
      account_id: accountId,
      api_key_id: 'keyId' in opener ? opener.keyId : null,
      admin_key_hash: 'adminKey' in opener ? hashAdminKey(token, opener.adminKey) : null,
      created_at: now,
      expires_at: new Date(now.getTime() + lifetimeMs),
      last_used_at: now,
    })
    .execute()
  await endLeastUsed(executor, accountId)
  return token
}

async function endLeastUsed(executor: Executor, accountId: string | null): Promise<void> {
  const owned = accountId === null ? sql`account_id is null` : sql`account_id = ${accountId}`
  await sql`delete from sessions where id in (
    select id from sessions where id in (
      select id from sessions where ${owned} order by last_used_at desc, created_at desc, id offset ${maxSessions}
    ) for update skip locked)`.execute(executor)
}

/**
 * The session that a token opens, and notes that it was used.
 * @param adminKey of this service, now.
 * @returns null for an unknown or ended one: signed out, unused for too long or too old, its key revoked, its account deleted, or
 * the admin key that it rests on changed.
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
    .leftJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select([
      'sessions.id',
      'sessions.last_used_at as lastUsedAt',
      'accounts.id as accountId',
      'accounts.name',
      'accounts.tier',
    ])
    .where('sessions.token_hash', '=', hashToken(token))
    .where('sessions.expires_at', '>', now)
    .where('sessions.last_used_at', '>', new Date(now.getTime() - idleTimeMs))
    .where('api_keys.revoked_at', 'is', null)
    .where('accounts.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('sessions.api_key_id', 'is not', null),
        eb('sessions.admin_key_hash', '=', hashAdminKey(token, adminKey)),
      ]),
    )
    .executeTakeFirst()
  if (!row) return null
  const { id, lastUsedAt, accountId, name, tier } = row
  if (now.getTime() - lastUsedAt.getTime() >= lastUsedPrecisionMs) {
    await executor.updateTable('sessions').set({ last_used_at: now }).where('id', '=', id).execute()
  }
  const account = accountId === null || name === null || tier === null ? null : { accountId, name, tier }
  return { sessionId: id, account }
}

/** Signs out. */
export async function endSession(executor: Executor, token: string): Promise<void> {
  await executor.deleteFrom('sessions').where('token_hash', '=', hashToken(token)).execute()
}

/** Signs an account out everywhere. @returns how many sessions there were, ended ones included that were not swept away yet. */
export async function endSessionsOf(executor: Executor, accountId: string): Promise<number> {
  const { numDeletedRows } = await executor
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/**
 * Whether anybody, account or operator, has a session that opens something. One of an admin key that was changed since counts until its
 * time is over: without its token nobody can tell.
 */
export async function isAnybodySignedIn(executor: Executor, now: Date): Promise<boolean> {
  const open = await executor
    .selectFrom('sessions')
    .leftJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
    .leftJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select('sessions.id')
    .where('sessions.expires_at', '>', now)
    .where('sessions.last_used_at', '>', new Date(now.getTime() - idleTimeMs))
    .where('api_keys.revoked_at', 'is', null)
    .where('accounts.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/** How many rows one statement deletes at most: everybody else waits for it in the embedded backend. */
const sliceRows = 500

/**
 * Deletes sessions that ended by time, a slice of them.
 * @returns whether there may be more.
 */
export async function purgeExpiredSessions(database: Database, now: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from sessions where id in (
      select id from sessions
      where last_used_at <= ${new Date(now.getTime() - idleTimeMs)}::timestamptz or expires_at <= ${now}::timestamptz
      order by last_used_at limit ${sliceRows} for update skip locked
    ) returning id`.execute(database)
  return rows.length === sliceRows
}
