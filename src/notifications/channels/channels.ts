import { randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import { listMadeIn, type MadeKind, makerOf } from '../../accounts/made-by-key.ts'
import type { Database, Transaction } from '../../database/open.ts'
import type { ChannelCadence, ChannelType } from '../../database/tables/notifications.ts'
import type { NewsKind } from '../../database/tables/watches.ts'
import { ServiceError } from '../../http/errors.ts'
import { type Secrets, UnreadableSecretError } from '../../http/secrets/secrets.ts'
import { invalidRequest, invalidTimezone } from '../../http/validation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { isTimezone } from '../../runtime/timezone.ts'
import type { Adapters, ChannelAdapter } from './adapter.ts'
import { nextDigest } from './delivery/digest-time.ts'
import type { RenderEvent } from './messages/renderer.ts'
import {
  addChannel,
  type ChannelRow,
  deleteChannel,
  lockChannel,
  type NewChannelRow,
  readChannel,
  sealedFor,
} from './store/channels.ts'
import { wakeChannels } from './store/deliveries.ts'

export interface ChannelsDependencies {
  database: Database
  clock: Clock
  secrets: Secrets
  adapters: Adapters
  renderEvent: RenderEvent
  publicUrl: () => string
  log: Pick<Logger, 'error'>
}

/** The fields of `POST /channels` that all types share. */
export interface ChannelFields {
  type: ChannelType
  name: string
  events: string[]
  mutedNews?: NewsKind[]
  cadence: ChannelCadence
  timezone: string
  hour: number
}

export interface PreparedChannelRow {
  adapter: ChannelAdapter
  config: unknown
  channelId: string
  secret: string | undefined
  row: Omit<NewChannelRow, 'accountId' | 'keyId' | 'now'>
}

const prepareMs = 10_000
const maxHint = 200
const ajv = new Ajv({ allErrors: true, verbose: true }).addKeyword('x-trim').addKeyword('x-kind')
const validators = new WeakMap<ChannelAdapter, ReturnType<typeof ajv.compile>>()

/** Checks the fields by the schemas of the type; fields of other types are refused. */
function checkFields(adapter: ChannelAdapter, fields: Record<string, unknown>): void {
  const validate = validators.get(adapter) ?? ajv.compile(Type.Object(adapter.fields, { additionalProperties: false }))
  validators.set(adapter, validate)
  if (!validate(fields)) throw invalidRequest('body', validate.errors ?? [])
}

export function checkTimezone(timezone: string | undefined): void {
  if (timezone !== undefined && !isTimezone(timezone)) throw invalidTimezone(timezone)
}

/**
 * Checks and seals a channel, outside transactions: it resolves names.
 * @throws ServiceError INVALID_REQUEST, CONFLICT
 */
export async function prepareChannel(
  { secrets, adapters }: Pick<ChannelsDependencies, 'secrets' | 'adapters'>,
  { type, name, events, mutedNews = [], cadence, timezone, hour, ...fields }: ChannelFields & Record<string, unknown>,
): Promise<PreparedChannelRow> {
  const adapter = adapters.get(type)
  if (adapter === undefined)
    throw new ServiceError('CONFLICT', `The operator does not offer channels of the type ${type}.`)
  if (adapter.unavailable !== null) throw new ServiceError('CONFLICT', adapter.unavailable)
  checkTimezone(timezone)
  checkFields(adapter, fields)
  const channelId = randomUUID()
  const signal = AbortSignal.timeout(prepareMs)
  const { config, hint, host, secret } = await adapter.prepare(fields, { channelId, signal })
  const sealed = secrets.seal(JSON.stringify(config), sealedFor(channelId))
  const state = adapter.initialState
  const row = {
    id: channelId,
    type,
    name,
    config: sealed,
    hint: hint.slice(0, maxHint),
    host,
    events,
    muted_news: mutedNews,
    cadence,
    timezone,
    hour,
    state,
  }
  return { adapter, config, channelId, secret, row }
}

/** Stores a prepared channel. @throws ServiceError CONFLICT at the maximum of channels. */
export async function storeChannel(
  transaction: Transaction,
  { adapter, config, channelId, secret, row }: PreparedChannelRow,
  { accountId, keyId, now }: { accountId: string; keyId: string | null; now: Date },
) {
  await addChannel(transaction, { ...row, accountId, keyId, now })
  await adapter.created?.(transaction, { channelId, accountId, name: row.name, config, now })
  // The type may know that the address was confirmed before.
  const { state } = await transaction
    .selectFrom('channels')
    .select('state')
    .where('id', '=', channelId)
    .executeTakeFirstOrThrow()
  return { channelId, state: state as 'active' | 'unconfirmed', ...(secret === undefined ? {} : { secret }) }
}

export interface ChannelChanges {
  name?: string
  events?: string[]
  mutedNews?: NewsKind[]
  cadence?: ChannelCadence
  timezone?: string
  hour?: number
}

/** Moves deliveries waiting for a digest to the new schedule, except those already tried. */
async function rescheduleDigest(transaction: Transaction, row: ChannelRow, now: Date): Promise<void> {
  const { id, cadence, timezone, hour } = row
  const due = cadence === 'now' ? now : nextDigest(now, { cadence, timezone, hour })
  await transaction
    .updateTable('channel_deliveries')
    .set({ due_at: due })
    .where('channel_id', '=', id)
    .where('due_at', 'is not', null)
    .where('message_id', 'is', null)
    .execute()
  await wakeChannels(transaction, [id])
}

/** Changes the given fields. The address is fixed: another address is another channel. */
export async function changeChannel(
  transaction: Transaction,
  { accountId, channelId, changes, now }: { accountId: string; channelId: string; changes: ChannelChanges; now: Date },
): Promise<void> {
  checkTimezone(changes.timezone)
  const row = await lockChannel(transaction, accountId, channelId)
  if (Object.keys(changes).length === 0) return
  const { mutedNews, ...columns } = changes
  const set = { ...columns, ...(mutedNews && { muted_news: mutedNews }) }
  await transaction.updateTable('channels').set(set).where('id', '=', row.id).execute()
  const { cadence, timezone, hour } = changes
  if (cadence === undefined && timezone === undefined && hour === undefined) return
  await rescheduleDigest(transaction, { ...row, ...changes }, now)
}

/** Enables a channel; the caller replaces an expired maker. @throws ServiceError CONFLICT if it cannot be enabled */
export async function enableChannel(
  transaction: Transaction,
  { adapters, secrets }: Pick<ChannelsDependencies, 'adapters' | 'secrets'>,
  { accountId, keyId, channelId, now }: { accountId: string; keyId: string | null; channelId: string; now: Date },
): Promise<void> {
  // Locked before the channel, as when a key is revoked with all that it made.
  const maker = await makerOf(transaction, { accountId, keyId, now })
  const { type } = await readChannel(transaction, accountId, channelId, secrets)
  await adapters.get(type)?.enabling?.(transaction, channelId)
  const row = await lockChannel(transaction, accountId, channelId)
  if (row.state === 'unconfirmed') throw new ServiceError('CONFLICT', 'The address has not been confirmed.')
  if (row.state === 'active') return
  const config = openConfig(secrets, row)
  // After an unsubscription or bounce, the receiver must agree again; an expired one may never have been confirmed.
  const asksAgain = ['unsubscribed', 'bounced', 'expired'].includes(row.disabled_reason ?? '')
  const state = asksAgain ? (adapters.get(row.type)?.initialState ?? 'active') : 'active'
  await transaction
    .updateTable('channels')
    .set({
      ...{ state, disabled_reason: null, failures: 0, failing_since: null, rests_until: null },
      ...(row.expires_at !== null && row.expires_at <= now ? maker : {}),
    })
    .where('id', '=', row.id)
    .execute()
  // Asks the receiver again; the type's own data stays.
  if (asksAgain)
    await adapters.get(row.type)?.created?.(transaction, { channelId, accountId, name: row.name, config, now })
}

/** Asks an unconfirmed receiver again. @returns the earliest time. @throws ServiceError CONFLICT if not waiting */
export async function askReceiverAgain(
  transaction: Transaction,
  { adapters, secrets }: Pick<ChannelsDependencies, 'adapters' | 'secrets'>,
  { accountId, channelId, now }: { accountId: string; channelId: string; now: Date },
): Promise<Date> {
  const { type } = await readChannel(transaction, accountId, channelId, secrets)
  const adapter = adapters.get(type)
  await adapter?.enabling?.(transaction, channelId)
  const row = await lockChannel(transaction, accountId, channelId)
  const when = row.state === 'unconfirmed' ? await adapter?.askAgain?.(transaction, row.id, now) : null
  if (!when) throw new ServiceError('CONFLICT', 'The channel waits for no confirmation.')
  return when
}

/** Opens a channel's config. @throws ServiceError CONFLICT if it cannot be opened. */
export function openConfig(secrets: Secrets, { id, config }: Pick<ChannelRow, 'id' | 'config'>): unknown {
  try {
    return JSON.parse(secrets.open(config, sealedFor(id)))
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    throw new ServiceError(
      'CONFLICT',
      'What the channel holds was sealed with a key that the service does not have any more: make a new channel.',
    )
  }
}

/** Deletes a channel with its log and its type's data. */
export async function removeChannel(
  transaction: Transaction,
  adapters: Adapters,
  { accountId, channelId, now }: { accountId: string; channelId: string; now: Date },
): Promise<void> {
  const { id, type } = await lockChannel(transaction, accountId, channelId)
  await adapters.get(type)?.deleted?.(transaction, [id], now)
  await deleteChannel(transaction, accountId, id)
}

/** The channels made by keys. */
export const channelsMadeByKeys = (adapters: Adapters): MadeKind => {
  const end: MadeKind['end'] = async (transaction, keyIds, now) => {
    const channels = await transaction
      .selectFrom('channels')
      .select(['id', 'account_id'])
      .where('made_by', 'in', keyIds)
      .orderBy('id')
      .forUpdate()
      .execute()
    for (const { id: channelId, account_id: accountId } of channels) {
      await removeChannel(transaction, adapters, { accountId, channelId, now })
    }
  }
  return { list: (executor, keyIds) => listMadeIn(executor, 'channels', keyIds), end }
}
