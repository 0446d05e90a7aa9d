import { sql } from 'kysely'
import type { Logger } from 'pino'
import { deleteSlice } from '../../database/delete-slice.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import { ServiceError } from '../../http/errors.ts'
import { lockAccount } from '../made-by-key.ts'
import {
  generateToken,
  hashAdminKey,
  hashToken,
  idleTimeMs,
  isAnybodySignedIn,
  isToken,
  type Opener,
  openSession,
} from './sessions.ts'

/** For invitations by the operator or account. */
export const invitationTimeMs = 24 * 60 * 60_000
/** For the link printed at startup. */
const firstLinkTimeMs = 15 * 60_000
export const maxOpenLinks = 20

interface SignInLink {
  linkId: string
  token: string
  personName: string | null
  createdAt: Date
  expiresAt: Date
}

interface NewLink {
  accountId: string
  /** The key the session will depend on: the maker's, or the admin key. */
  opener: { keyId: string } | { adminKey: string }
  personName?: string | null
  now: Date
  validForMs: number
}

/** The token is in the fragment, which is neither sent to servers nor logged. */
export const linkUrl = (publicUrl: string, { token }: SignInLink): string => `${publicUrl}/sign-in#${token}`

/** @returns a one-time sign-in link; null without the account @throws ServiceError CONFLICT at the maximum */
export async function makeLink(transaction: Transaction, link: NewLink): Promise<SignInLink | null> {
  const { accountId, opener, personName = null, now, validForMs } = link
  // Serializes an account's calls: otherwise concurrent ones would not count each other's link.
  if (!(await lockAccount(transaction, accountId))) return null
  if ((await listLinks(transaction, accountId, now)).length >= maxOpenLinks) {
    throw new ServiceError('CONFLICT', `The account has ${maxOpenLinks} open sign-in links, the maximum: revoke them.`)
  }
  const token = generateToken()
  const expiresAt = new Date(now.getTime() + validForMs)
  const { id: linkId } = await transaction
    .insertInto('sign_in_links')
    .values({
      token_hash: hashToken(token),
      account_id: accountId,
      api_key_id: 'keyId' in opener ? opener.keyId : null,
      admin_key_hash: 'adminKey' in opener ? hashAdminKey(token, opener.adminKey) : null,
      person_name: personName,
      created_at: now,
      expires_at: expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { linkId, token, personName, createdAt: now, expiresAt }
}

/**
 * Signs in with a link and uses it up; of several concurrent calls one succeeds.
 * @returns the cookie's token; null if the link is unknown, used, expired, revoked, or of a former admin key
 */
export function openWithLink(
  database: Database,
  token: string,
  { adminKey, now }: { adminKey: string; now: Date },
): Promise<string | null> {
  return database.transaction().execute(async (transaction) => {
    if (!isToken(token)) return null
    const used = await transaction
      .deleteFrom('sign_in_links')
      .where('token_hash', '=', hashToken(token))
      .where((eb) =>
        eb.or([eb('api_key_id', 'is not', null), eb('admin_key_hash', '=', hashAdminKey(token, adminKey))]),
      )
      .where('expires_at', '>', now)
      .returning(['id as linkId', 'account_id as accountId', 'api_key_id as keyId', 'person_name as personName'])
      .executeTakeFirst()
    if (!used) return null
    const { accountId, keyId } = used
    const opener: Opener = keyId === null ? { accountId, adminKey } : { accountId, keyId }
    return openSession(transaction, opener, now, used)
  })
}

/** An account's open links, oldest first, including useless ones of a former admin key. */
export const listLinks = (executor: Executor, accountId: string, now: Date) =>
  executor
    .selectFrom('sign_in_links')
    .select(['id as linkId', 'person_name as personName', 'created_at as createdAt', 'expires_at as expiresAt'])
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxOpenLinks)
    .execute()

/** What an account sees of a link, while it or its session is open. */
interface Invitation {
  linkId: string
  personName: string | null
  /** Its making key; null for the operator, and for a session without a key. */
  madeBy: string | null
  /** Creation; once used, the time of use. */
  createdAt: Date
  /** Expiry; once used, the session's end at the latest. */
  expiresAt: Date
  lastUsedAt: Date | null
}

/** Links that are open, or whose sessions are; those of a former admin key until they expire. */
export async function listInvitations(executor: Executor, accountId: string, now: Date): Promise<Invitation[]> {
  const { rows } = await sql<Invitation>`
    select invited."linkId", invited."personName", invited."madeBy", invited."createdAt", invited."expiresAt", invited."lastUsedAt"
    from (
      select id as "linkId", person_name as "personName", api_key_id as "madeBy", created_at as "createdAt",
        expires_at as "expiresAt", null::timestamptz as "lastUsedAt"
      from sign_in_links where account_id = ${accountId}
      union all
      select link_id, person_name, api_key_id, created_at, expires_at, last_used_at
      from sessions left join session_people as person on person.session_id = sessions.id
      where sessions.account_id = ${accountId} and link_id is not null and last_used_at > ${new Date(now.getTime() - idleTimeMs)}::timestamptz
    ) as invited left join api_keys on api_keys.id = invited."madeBy"
    where invited."expiresAt" > ${now}::timestamptz and api_keys.revoked_at is null
      and (api_keys.expires_at is null or api_keys.expires_at > ${now}::timestamptz)`.execute(executor)
  return rows
}

/** Ends a link, and the session it opened. @returns false if the account has no such link */
export async function endInvitation(executor: Executor, accountId: string, linkId: string): Promise<boolean> {
  const { rows } = await sql`
    with unused as (delete from sign_in_links where id = ${linkId} and account_id = ${accountId} returning id),
      used as (delete from sessions where link_id = ${linkId} and account_id = ${accountId} returning id)
    select from unused union all select from used`.execute(executor)
  return rows.length > 0
}

/** Revokes an account's open links. @returns their number */
export async function revokeLinks(executor: Executor, accountId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ open: boolean }>`delete from sign_in_links where account_id = ${accountId}
    returning expires_at > ${now}::timestamptz as open`.execute(executor)
  return rows.filter((row) => row.open).length
}

/** The first account's link, printed at startup. @returns null if any session exists, or the account is deleted */
function makeFirstLink(
  database: Database,
  { adminKey, now }: { adminKey: string; now: Date },
): Promise<SignInLink | null> {
  return database.transaction().execute(async (transaction) => {
    if (await isAnybodySignedIn(transaction, now)) return null
    const first = await transaction
      .selectFrom('accounts')
      .select('id')
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (!first) return null
    return makeLink(transaction, { accountId: first.id, opener: { adminKey }, now, validForMs: firstLinkTimeMs })
  })
}

/** Deletes a batch of expired links. @returns whether more may remain */
export const purgeExpiredLinks = (database: Database, now: Date): Promise<boolean> =>
  deleteSlice(database, 'sign_in_links', { where: sql`expires_at <= ${now}::timestamptz`, by: 'expires_at' })

interface Offer {
  config: { bootstrapApiKey: string | undefined }
  log: Logger
  database: Database
  adminKey: string
  publicUrl: () => string
  now: Date
}

/** Not if the operator set the first key: it is known, and the output of services is often stored. */
export async function offerSignIn({ config, log, database, adminKey, publicUrl, now }: Offer): Promise<string | null> {
  if (config.bootstrapApiKey !== undefined) return null
  // A failure here must not keep startup from showing the new key.
  const link = await makeFirstLink(database, { adminKey, now }).catch((error: unknown): SignInLink | null => {
    log.warn({ err: error }, 'no sign-in link could be made')
    return null
  })
  return link && linkUrl(publicUrl(), link)
}
