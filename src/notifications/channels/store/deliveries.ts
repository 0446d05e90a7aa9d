import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { deleteSlice } from '../../../database/delete-slice.ts'
import type { Executor, Transaction } from '../../../database/open.ts'
import type { DeliveryState } from '../../../database/tables/notifications.ts'
import { notFound, ServiceError } from '../../../http/errors.ts'
import { isId } from '../../../http/ids.ts'
import { cursorsOf, isPositionId, isPositionText, type PageInput, pageIn } from '../../../http/pagination.ts'
import { closed, moment, nullable, oneOf } from '../../../http/schemas.ts'
import { dayMs } from '../../../runtime/durations.ts'
import { lockChannel } from './channels.ts'

/** How long events and their delivery log are kept. */
export const keptDays = 30

/** A line of the delivery log, without any text of a message. */
export const delivery = closed({
  deliveryId: Type.String(),
  eventId: Type.String(),
  type: Type.String({ description: 'Of the event' }),
  messageId: nullable(
    Type.String({ description: 'The `webhook-id`: of the event, or of the digest; null before the first attempt' }),
  ),
  state: oneOf(['pending', 'delivered', 'failed', 'nothing_left'], {
    description: '`nothing_left`: what it was about was purged or hidden before it was sent',
  }),
  attempts: Type.Integer(),
  createdAt: moment('When the event was taken up'),
  dueAt: nullable(moment('When it is tried next; null once it has ended')),
  lastAttemptAt: nullable(moment('When it was last tried')),
  endedAt: nullable(moment('When it ended')),
  status: nullable(Type.Integer({ description: 'The HTTP or SMTP status of the last attempt' })),
  error: nullable(Type.String({ description: 'What failed, in words of this service' })),
})

interface Row {
  id: string
  event_id: string
  type: string
  message_id: string | null
  state: DeliveryState
  attempts: number
  created_at: Date
  due_at: Date | null
  last_attempt_at: Date | null
  ended_at: Date | null
  last_status: number | null
  last_error: string | null
  position: string
}

const describe = (row: Row): Static<typeof delivery> => ({
  deliveryId: row.id,
  eventId: row.event_id,
  type: row.type,
  messageId: row.message_id,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at.toISOString(),
  dueAt: row.due_at?.toISOString() ?? null,
  lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
  endedAt: row.ended_at?.toISOString() ?? null,
  status: row.last_status,
  error: row.last_error,
})

/** A moment with microseconds, as in `position`. */
const isPositionMoment = (value: unknown): value is string =>
  isPositionText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value) && !Number.isNaN(Date.parse(value))

const cursors = cursorsOf<[createdAt: string, id: string]>('channel-deliveries', isPositionMoment, isPositionId)

/** A channel's log, newest first. The caller must have checked the account. */
export async function listDeliveries(executor: Executor, channelId: string, { limit, cursor }: PageInput) {
  const after = cursor === undefined ? null : cursors.decode(cursor)
  const older =
    after === null ? sql`true` : sql`(delivery.created_at, delivery.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)`
  const { rows } = await sql<Row>`
    select delivery.*, events.type,
      to_char(delivery.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
    from channel_deliveries as delivery join events on events.id = event_id
    where channel_id = ${channelId} and ${older}
    order by delivery.created_at desc, delivery.id desc limit ${limit + 1}`.execute(executor)
  const { page, ...rest } = pageIn(rows, limit, ({ position, id }) => cursors.encode([position, id]))
  return { results: page.map(describe), ...rest }
}

/** Resends an ended delivery; outside digests, with its message id. @throws ServiceError NOT_FOUND, CONFLICT */
export async function replayDelivery(
  transaction: Transaction,
  { accountId, channelId, deliveryId, now }: { accountId: string; channelId: string; deliveryId: string; now: Date },
): Promise<void> {
  const channel = await lockChannel(transaction, accountId, channelId)
  const known = isId(deliveryId)
    ? await transaction
        .selectFrom('channel_deliveries')
        .select('state')
        .where('id', '=', deliveryId)
        .where('channel_id', '=', channel.id)
        .executeTakeFirst()
    : undefined
  if (!known) throw notFound('Delivery')
  if (known.state === 'pending') throw new ServiceError('CONFLICT', 'The delivery is pending.')
  if (channel.state !== 'active') {
    throw new ServiceError('CONFLICT', `The channel is ${channel.state}; nothing is delivered on it.`)
  }
  await sql`
    update channel_deliveries set state = 'pending', message_id = event_id, attempts = 0, due_at = ${now}, ended_at = null
    where id = ${deliveryId}`.execute(transaction)
  await wakeChannels(transaction, [channel.id])
}

/** When a row of `channels` is due; null if nothing is pending or it is inactive. @param rests its rest's end */
export const nextDue = (rests: RawBuilder<unknown>): RawBuilder<Date | null> =>
  sql<Date | null>`case when channels.state = 'active' then (
    select greatest(${rests}, min(pending.due_at)) from channel_deliveries as pending
    where pending.channel_id = channels.id and pending.due_at is not null having count(*) > 0) end`

/** Sets when channels are due. An earlier statement must have locked them, so that this one sees prior commits. */
export async function wakeChannels(transaction: Transaction, channelIds: readonly string[]): Promise<void> {
  await sql`
    update channels set due_at = ${nextDue(sql.ref('channels.rests_until'))} where id = any(${channelIds}::uuid[])`.execute(
    transaction,
  )
}

/** Deletes a slice of the events past the log's retention, with deliveries. @returns whether there may be more. */
export function deleteOldEvents(executor: Executor, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - keptDays * dayMs)
  return deleteSlice(executor, 'events', { where: sql`created_at < ${before}::timestamptz`, by: 'created_at' })
}
