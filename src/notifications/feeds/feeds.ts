import { createHash, randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { listMadeIn, type MadeKind, makerOf } from '../../accounts/made-by-key.ts'
import { countOwned } from '../../accounts/owned.ts'
import { deleteSlice } from '../../database/delete-slice.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import type { Tables } from '../../database/tables.ts'
import { notFound, ServiceError } from '../../http/errors.ts'

const formats = ['atom', 'json'] as const

export type FeedFormat = (typeof formats)[number]

/** 256 random bits. */
const makeSecret = (): string => randomBytes(32).toString('base64url')

/** Secrets are random, so a plain hash is enough. */
const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const hintOf = (secret: string): string => secret.slice(0, 4)

/** The URL of a feed. */
export const feedUrl = (publicUrl: string, secret: string, format: FeedFormat): string =>
  `${publicUrl}/feeds/${secret}.${format}`

const fileName = /^([\w-]{43})\.(atom|json)$/

/** Parses the last part of a feed's path into secret and format; null for anything else. */
export function parseFile(file: string): { secret: string; format: FeedFormat } | null {
  const [, secret, format] = fileName.exec(file) ?? []
  return secret === undefined || format === undefined ? null : { secret, format: format as FeedFormat }
}

/** The authority for entry ids (RFC 4151): the host of PUBLIC_URL, reduced to valid characters. */
function authorityOf(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.toLowerCase()
  return /^[a-z0-9.-]+$/.test(host) ? host : 'localhost'
}

export const maxFeeds = 100

export const feedKinds = ['topic', 'watch', 'search'] as const

export type FeedKind = (typeof feedKinds)[number]

export type Feed = Selectable<Tables['feeds']>

export interface NewFeed {
  accountId: string
  /** The creating key; null for a session without a key. */
  keyId: string | null
  kind: FeedKind
  name: string
  topic: string | null
  watchId: string | null
  query: string | null
  /** As in a body. */
  filters: object | null
  publicUrl: string
  now: Date
}

async function requireOwnWatch(transaction: Transaction, { accountId, watchId }: NewFeed): Promise<void> {
  if (watchId === null) return
  // Keeps the watch from being deleted until the transaction ends.
  const { rows } = await sql`
    select from watches where id = ${watchId} and account_id = ${accountId} for key share`.execute(transaction)
  if (rows.length === 0) throw notFound('Watch')
}

/** Creates a feed, without storing its secret. @throws ServiceError NOT_FOUND for a foreign watch; CONFLICT */
export async function createFeed(transaction: Transaction, feed: NewFeed): Promise<{ feedId: string; secret: string }> {
  const { accountId, keyId, kind, name, topic, watchId, query, filters, publicUrl, now } = feed
  const maker = await makerOf(transaction, { accountId, keyId, now })
  await requireOwnWatch(transaction, feed)
  if ((await countOwned(transaction, 'feeds', accountId)) >= maxFeeds) {
    throw new ServiceError('CONFLICT', `The account has ${maxFeeds} feeds, which is the maximum. Revoke some first.`)
  }
  const secret = makeSecret()
  const { id } = await transaction
    .insertInto('feeds')
    .values({
      account_id: accountId,
      kind,
      name,
      topic,
      watch_id: watchId,
      query,
      filters: filters === null ? null : JSON.stringify(filters),
      secret_hash: hashSecret(secret),
      hint: hintOf(secret),
      authority: authorityOf(publicUrl),
      created_at: now,
      ...maker,
      last_read_at: null,
      content_hash: null,
      content_changed_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { feedId: id, secret }
}

/** Finds a feed by secret, until its creating key expires. */
export const findFeed = (executor: Executor, secret: string, now: Date): Promise<Feed | undefined> =>
  executor
    .selectFrom('feeds')
    .selectAll()
    .where('secret_hash', '=', hashSecret(secret))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()

/** The feeds made by keys. */
export const feedsMadeByKeys: MadeKind = {
  list: (executor, keyIds) => listMadeIn(executor, 'feeds', keyIds),
  end: async (transaction, keyIds) => {
    await transaction.deleteFrom('feeds').where('made_by', 'in', keyIds).execute()
  },
}

/** Deletes a slice of the feeds whose maker has expired. @returns whether there may be more. */
export const deleteExpiredFeeds = (executor: Executor, now: Date): Promise<boolean> =>
  deleteSlice(executor, 'feeds', { where: sql`expires_at <= ${now}::timestamptz`, by: 'expires_at' })

/** Reads this soon after the last are not recorded. */
const notedEveryMs = 10 * 60_000
const secondMs = 1_000

/** Records a read, every ten minutes at most. @returns since when, a second later per change. */
export async function noteRead(executor: Executor, feed: Feed, contentHash: string, now: Date): Promise<Date> {
  const wasRead = feed.last_read_at !== null && feed.last_read_at.getTime() > now.getTime() - notedEveryMs
  const known = feed.content_changed_at
  if (wasRead && feed.content_hash === contentHash && known !== null) return known
  const second = new Date(Math.floor(now.getTime() / secondMs) * secondMs)
  const { rows } = await sql<{ content_changed_at: Date }>`
    update feeds set last_read_at = ${now}, content_hash = ${contentHash},
      content_changed_at = case when content_hash = ${contentHash} then content_changed_at
        else greatest(${second}::timestamptz, content_changed_at + interval '1 second') end
    where id = ${feed.id} returning content_changed_at`.execute(executor)
  return rows[0]?.content_changed_at ?? second
}
