import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import { ServiceError } from '../../http/errors.ts'
import { generateToken, hashAdminKey, hashToken, isAnybodySignedIn, isToken, openSession } from './sessions.ts'

/** An invitation by the operator. */
export const invitationTimeMs = 24 * 60 * 60_000
/** The link that a start prints, for the operator at the terminal. */
const firstLinkTimeMs = 15 * 60_000
/** The maximum of open links of an account. */
export const maxOpenLinks = 20

interface SignInLink {
  linkId: string
  token: string
  createdAt: Date
  expiresAt: Date
}

interface NewLink {
  accountId: string
  adminKey: string
  now: Date
  /** How long it is valid. */
  validForMs: number
}

/** The address of a link. The token is in the fragment, which is not sent to servers and not logged. */
export const linkUrl = (publicUrl: string, { token }: SignInLink): string => `${publicUrl}/sign-in#${token}`

/**
 * Makes a link that signs a person in to an account, once.
 * @returns null when there is no such account.
 * @throws ServiceError CONFLICT when the account has the maximum of open links.
 */
export async function makeLink(transaction: Transaction, link: NewLink): Promise<SignInLink | null> {
  const { accountId, adminKey, now, validForMs } = link
  const account = await transaction
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    // Serializes concurrent calls for one account: without the lock neither would count the link of the other.
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!account) return null
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
      admin_key_hash: hashAdminKey(token, adminKey),
      created_at: now,
      expires_at: expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { linkId, token, createdAt: now, expiresAt }
}

/**
 * Signs in with a link and uses it up: one of several concurrent calls succeeds.
 * @returns the token for the cookie; null for a link that is unknown, used, expired, revoked, or of another admin key than the
 * current one. The session of a deleted account opens nothing.
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
      .where('admin_key_hash', '=', hashAdminKey(token, adminKey))
      .where('expires_at', '>', now)
      .returning('account_id')
      .executeTakeFirst()
    return used ? openSession(transaction, { accountId: used.account_id, adminKey }, now) : null
  })
}

/** The links of an account that are open, oldest first. Includes those of an earlier admin key, which open nothing. */
export const listLinks = (executor: Executor, accountId: string, now: Date) =>
  executor
    .selectFrom('sign_in_links')
    .select(['id as linkId', 'created_at as createdAt', 'expires_at as expiresAt'])
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxOpenLinks)
    .execute()

/** Revokes every open link of an account. @returns their number. */
export async function revokeLinks(executor: Executor, accountId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ open: boolean }>`delete from sign_in_links where account_id = ${accountId}
    returning expires_at > ${now}::timestamptz as open`.execute(executor)
  return rows.filter((row) => row.open).length
}

/**
 * The link that a start prints when there is no session: it opens the first account.
 * @returns null when there is a session, or the first account is deleted.
 */
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
    return makeLink(transaction, { accountId: first.id, adminKey, now, validForMs: firstLinkTimeMs })
  })
}

/** The maximum of one statement: in the embedded backend all other statements wait for it. */
const sliceRows = 500

/**
 * Deletes a slice of the expired links.
 * @returns whether there may be more.
 */
export async function purgeExpiredLinks(database: Database, now: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from sign_in_links where id in (
      select id from sign_in_links where expires_at <= ${now}::timestamptz
      order by expires_at limit ${sliceRows} for update skip locked
    ) returning id`.execute(database)
  return rows.length === sliceRows
}

interface Offer {
  config: { bootstrapApiKey: string | undefined }
  log: Logger
  database: Database
  adminKey: string
  /** The address that links begin with. */
  publicUrl: () => string
  now: Date
}

/**
 * A link for the operator at the terminal, when there is no session. Not if the operator set the first key: then it is known, and
 * the output of such a service is often stored.
 */
export async function offerSignIn({ config, log, database, adminKey, publicUrl, now }: Offer): Promise<string | null> {
  if (config.bootstrapApiKey !== undefined) return null
  // A failure here must not prevent the start from showing the new key.
  const link = await makeFirstLink(database, { adminKey, now }).catch((error: unknown): SignInLink | null => {
    log.warn({ err: error }, 'no sign-in link could be made')
    return null
  })
  return link && linkUrl(publicUrl(), link)
}
