import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { describeMaker, listMadeIn, type MadeKind, makerOf } from '../../../accounts/made-by-key.ts'
import { countOwned, findOwned } from '../../../accounts/owned.ts'
import type { Executor, Transaction } from '../../../database/open.ts'
import type { TrackerType } from '../../../database/tables/notifications.ts'
import type { Tables } from '../../../database/tables.ts'
import { ServiceError } from '../../../http/errors.ts'
import type { Secrets } from '../../../http/secrets/secrets.ts'
import type { TrackerFields } from '../tracker.ts'

export const maxTrackers = 20

export type TrackerRow = Selectable<Tables['trackers']>

/** The context for sealing a tracker's config. */
export const sealedFor = (trackerId: string): string => `tracker ${trackerId}`

/** A sealed config: the result of `prepare`, and its input, so that a new token can be checked the same way. */
export interface SealedTracker {
  config: unknown
  fields: TrackerFields
}

/** Seals a tracker's config. @throws ServiceError CONFLICT without a key for secrets. */
export const sealTracker = (secrets: Secrets, trackerId: string, sealed: SealedTracker): string =>
  secrets.seal(JSON.stringify(sealed), sealedFor(trackerId))

/** @throws UnreadableSecretError */
export const openTracker = (secrets: Secrets, { id, config }: Pick<TrackerRow, 'id' | 'config'>): SealedTracker =>
  JSON.parse(secrets.open(config, sealedFor(id))) as SealedTracker

/** The message for a tracker whose config cannot be opened. */
export const unreadableTracker = 'Its token cannot be opened any more: give it again.'

/** The message for a tracker whose maker has expired: it neither sends nor reads. */
const expiredTracker = 'The key that made it has expired: it rests until a key that lasts changes its name or token.'

/** Whether any tracker is stored. */
export const hasTrackers = async (executor: Executor): Promise<boolean> =>
  (await executor.selectFrom('trackers').select('id').limit(1).execute()).length > 0

/** A tracker as its account sees it. */
export const describeTracker = (row: TrackerRow, now: Date) => ({
  trackerId: row.id,
  type: row.type,
  name: row.name,
  target: row.hint,
  createdAt: row.created_at.toISOString(),
  ...describeMaker(row),
  error: row.expires_at !== null && row.expires_at <= now ? expiredTracker : row.last_error,
})

/** @throws ServiceError NOT_FOUND, also for another account's tracker. */
export const findTracker = (executor: Executor, accountId: string, trackerId: string): Promise<TrackerRow> =>
  findOwned(executor, 'trackers', { accountId, id: trackerId })

export interface Owner {
  accountId: string
  /** The calling key; null for a session without a key. */
  keyId: string | null
  now: Date
}

/** Stores a tracker. @throws ServiceError CONFLICT at the maximum. */
export async function addTracker(
  transaction: Transaction,
  secrets: Secrets,
  { type, name, hint, ...sealed }: SealedTracker & { type: TrackerType; name: string; hint: string },
  { accountId, keyId, now }: Owner,
): Promise<TrackerRow> {
  const maker = await makerOf(transaction, { accountId, keyId, now })
  if ((await countOwned(transaction, 'trackers', accountId)) >= maxTrackers)
    throw new ServiceError(
      'CONFLICT',
      `The account has ${maxTrackers} trackers, which is the maximum. Delete one first.`,
    )
  const id = randomUUID()
  return transaction
    .insertInto('trackers')
    .values({
      ...{ id, type, name, hint, account_id: accountId, created_at: now, ...maker },
      ...{ last_error: null, rests_until: null, due_at: null, claimed_by: null, claimed_until: null },
      config: sealTracker(secrets, id, sealed),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** When a tracker is called next: its first push is due and it does not rest. Its row must already be locked. */
export const nextCall = (restsUntil = sql`rests_until`) => sql<Date | null>`
  greatest((select min(pushes.due_at) from pushes where tracker_id = trackers.id), ${restsUntil})`

/** Schedules a tracker for its first due push; call it in the transaction that changed its pushes. */
export async function wakeTracker(transaction: Transaction, trackerId: string): Promise<void> {
  await sql`select from trackers where id = ${trackerId} for update`.execute(transaction)
  await sql`
    update trackers set due_at = case when exists (select from pushes where tracker_id = trackers.id and pushes.due_at is not null)
      then ${nextCall()} end where id = ${trackerId}`.execute(transaction)
  await sql`select pg_notify('wishwell_pushes', '')`.execute(transaction)
}

export interface TrackerChanges {
  name?: string | undefined
  sealed?: SealedTracker | undefined
}

/** Renames a tracker or changes its config, and then retries it. An expired maker is replaced by the caller. */
export async function changeTracker(
  transaction: Transaction,
  secrets: Secrets,
  trackerId: string,
  { name, sealed }: TrackerChanges,
  { accountId, keyId, now }: Owner,
): Promise<TrackerRow> {
  const maker = await makerOf(transaction, { accountId, keyId, now })
  const { expires_at: expiresAt } = await findTracker(transaction, accountId, trackerId)
  const fresh = { failures: 0, last_error: null, rests_until: null }
  const row = await transaction
    .updateTable('trackers')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(sealed === undefined ? {} : { config: sealTracker(secrets, trackerId, sealed), ...fresh }),
      ...(expiresAt !== null && expiresAt <= now ? maker : {}),
    })
    .where('id', '=', trackerId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await wakeTracker(transaction, trackerId)
  return row
}

/** Deletes a tracker with its pushes; issues stay. @throws ServiceError NOT_FOUND */
export async function deleteTracker(transaction: Transaction, accountId: string, trackerId: string): Promise<void> {
  const { id } = await findTracker(transaction, accountId, trackerId)
  await transaction.deleteFrom('trackers').where('id', '=', id).execute()
}

/** The trackers made by keys. */
export const trackersMadeByKeys: MadeKind = {
  list: (executor, keyIds) => listMadeIn(executor, 'trackers', keyIds),
  end: async (transaction, keyIds) => {
    await transaction.deleteFrom('trackers').where('made_by', 'in', keyIds).execute()
  },
}
