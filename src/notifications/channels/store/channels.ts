import { type Selectable, sql } from 'kysely'
import { describeMaker, makerOf } from '../../../accounts/made-by-key.ts'
import { countOwned, findOwned } from '../../../accounts/owned.ts'
import type { Executor, Transaction } from '../../../database/open.ts'
import type { ChannelCadence, ChannelState, ChannelType } from '../../../database/tables/notifications.ts'
import type { NewsKind } from '../../../database/tables/watches.ts'
import type { Tables } from '../../../database/tables.ts'
import { notFound, ServiceError } from '../../../http/errors.ts'
import { isId } from '../../../http/ids.ts'
import type { Secrets } from '../../../http/secrets/secrets.ts'

export const maxChannels = 20

export type ChannelRow = Selectable<Tables['channels']>

/** The context for sealing a channel's config. */
export const sealedFor = (channelId: string): string => `channel ${channelId}`

/** A channel as its account sees it. */
export interface ChannelDescription {
  channelId: string
  type: ChannelType
  name: string
  /** Its target: a host and last characters. */
  target: string
  events: string[]
  mutedNews: NewsKind[]
  cadence: ChannelCadence
  timezone: string
  hour: number
  state: ChannelState
  disabledReason: string | null
  createdAt: string
  /** The creating key; null for a session without a key. */
  madeBy: string | null
  /** When that key expires, which disables the channel; null for never. */
  expiresAt: string | null
  lastDeliveredAt: string | null
  /** Since when all attempts failed; null while they succeed. */
  failingSince: string | null
  pending: number
  /** Whether its config is sealed with a key that this process lacks. */
  waitsForKey: boolean
}

export type KnownKeys = Pick<Secrets, 'knownPrefixes'>

const describe = (row: ChannelRow & { pending: number }, { knownPrefixes }: KnownKeys): ChannelDescription => ({
  channelId: row.id,
  type: row.type,
  name: row.name,
  target: row.hint,
  events: row.events,
  mutedNews: row.muted_news,
  cadence: row.cadence,
  timezone: row.timezone,
  hour: row.hour,
  state: row.state,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at.toISOString(),
  ...describeMaker(row),
  lastDeliveredAt: row.last_delivered_at?.toISOString() ?? null,
  failingSince: row.failing_since?.toISOString() ?? null,
  pending: row.pending,
  waitsForKey: !knownPrefixes.some((prefix) => row.config.startsWith(prefix)),
})

const described = (executor: Executor, accountId: string) =>
  executor
    .selectFrom('channels')
    .selectAll()
    .select(
      sql<number>`(select count(*)::integer from channel_deliveries
        where channel_id = channels.id and channel_deliveries.due_at is not null)`.as('pending'),
    )
    .where('account_id', '=', accountId)

/** The channels of an account, oldest first, at most `maxChannels`. */
export async function listChannels(
  executor: Executor,
  accountId: string,
  keys: KnownKeys,
): Promise<ChannelDescription[]> {
  const rows = await described(executor, accountId).orderBy('created_at').orderBy('id').execute()
  return rows.map((row) => describe(row, keys))
}

/** @throws ServiceError NOT_FOUND, also for another account's channel. */
export async function readChannel(
  executor: Executor,
  accountId: string,
  channelId: string,
  keys: KnownKeys,
): Promise<ChannelDescription> {
  const row = isId(channelId)
    ? await described(executor, accountId).where('id', '=', channelId).executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('Channel')
  return describe(row, keys)
}

/** Locks a channel of an account. @throws ServiceError NOT_FOUND */
export const lockChannel = (transaction: Transaction, accountId: string, channelId: string): Promise<ChannelRow> =>
  findOwned(transaction, 'channels', { accountId, id: channelId }, sql`for update`)

export interface NewChannelRow {
  id: string
  accountId: string
  /** The creating key; null for a session without a key. */
  keyId: string | null
  type: ChannelType
  name: string
  config: string
  hint: string
  host: string
  events: string[]
  muted_news?: NewsKind[]
  cadence: ChannelCadence
  timezone: string
  hour: number
  state: ChannelState
  now: Date
}

/** Stores a channel. @throws ServiceError CONFLICT at the maximum; NOT_FOUND if the account was deleted. */
export async function addChannel(transaction: Transaction, channel: NewChannelRow): Promise<void> {
  const { accountId, keyId, now, ...row } = channel
  const maker = await makerOf(transaction, { accountId, keyId, now })
  if ((await countOwned(transaction, 'channels', accountId)) >= maxChannels) {
    throw new ServiceError('CONFLICT', `The account has ${maxChannels} channels, the maximum: delete one.`)
  }
  await transaction
    .insertInto('channels')
    .values({ ...row, account_id: accountId, created_at: now, ...maker })
    .execute()
}

/** Removes channels from an account's watches, locking watches by id, after the channels. */
const forgetIn = (transaction: Transaction, accountId: string, channelIds: readonly string[]) =>
  sql`
    update watches set channels = array(select one from unnest(channels) as one where one <> all(${[...channelIds]}::uuid[]))
    where id = any(array(select id from watches where account_id = ${accountId} and channels && ${[...channelIds]}::uuid[]
      order by id for no key update))`.execute(transaction)

/** Deletes a channel with its log, and removes it from watches. @throws ServiceError NOT_FOUND */
export async function deleteChannel(transaction: Transaction, accountId: string, channelId: string): Promise<void> {
  const { id } = await lockChannel(transaction, accountId, channelId)
  await forgetIn(transaction, accountId, [id])
  await transaction.deleteFrom('channels').where('id', '=', id).execute()
}

/** Deletes every channel of an account being deleted. @returns their ids. */
export async function deleteChannelsOf(transaction: Transaction, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from channels where account_id = ${accountId} order by id for update`.execute(transaction)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return ids
  await forgetIn(transaction, accountId, ids)
  await transaction.deleteFrom('channels').where('id', 'in', ids).execute()
  return ids
}

/** Whether any channel is stored. */
export async function hasChannels(executor: Executor): Promise<boolean> {
  return (await executor.selectFrom('channels').select('id').limit(1).execute()).length > 0
}

/** The ids that are no channels of the account. */
export async function findUnknownChannels(
  executor: Executor,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  const candidates = ids.filter(isId)
  const rows =
    candidates.length === 0
      ? []
      : await executor
          .selectFrom('channels')
          .select('id')
          .where('account_id', '=', accountId)
          .where('id', 'in', candidates)
          .execute()
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id.toLowerCase()))
}
