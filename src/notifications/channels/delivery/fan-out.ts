import { sql } from 'kysely'
import type { EventSubject, EventType } from '../../../accounts/events/events.ts'
import type { Database, Executor, Transaction } from '../../../database/open.ts'
import type { ChannelCadence } from '../../../database/tables/notifications.ts'
import { wakeChannels } from '../store/deliveries.ts'
import { nextDigest } from './digest-time.ts'

/** The accounts that a request concerns, such as its watchers. */
export type ReadersOfRequest = (executor: Executor, requestId: string) => Promise<string[]>

export interface FanOutDependencies {
  database: Database
  /** For events of no account: the accounts that a request concerns. */
  readersOf: ReadersOfRequest
  now: Date
}

interface EventRow {
  id: string
  account_id: string | null
  type: EventType
  watch_id: string | null
  subject: EventSubject
}

interface TargetRow {
  id: string
  cadence: ChannelCadence
  timezone: string
  hour: number
}

const maxEvents = 100

/** A watch's channels, else those subscribed to waiting and skipping; its news are then only on the page. */
const channelsOfWatch = (watchId: string, type: EventType) => sql<TargetRow>`
  select channels.id, cadence, channels.timezone, hour from watches join channels on channels.account_id = watches.account_id
    and (channels.id = any(watches.channels)
      or (cardinality(watches.channels) = 0 and ${type}::text <> 'watch.news' and ${type}::text = any(channels.events)))
  where watches.id = ${watchId} and channels.state = 'active'`

const channelsThatSubscribe = (accountIds: readonly string[], type: EventType) => sql<TargetRow>`
  select id, cadence, timezone, hour from channels
  where account_id = any(${accountIds}::uuid[]) and state = 'active' and ${type} = any(events)`

/** All other channels, subscribed or not: else the account might not hear that one was disabled. */
const otherChannels = (accountId: string, channelId: string) => sql<TargetRow>`
  select id, cadence, timezone, hour from channels
  where account_id = ${accountId} and state = 'active' and id <> ${channelId}::uuid`

async function findTargets(
  transaction: Transaction,
  event: EventRow,
  readersOf: ReadersOfRequest,
): Promise<readonly TargetRow[]> {
  const { account_id: accountId, type, watch_id: watchId, subject } = event
  const { channelId, requestId } = subject
  if (watchId !== null) return (await channelsOfWatch(watchId, type).execute(transaction)).rows
  if (accountId !== null && type === 'channel.disabled' && typeof channelId === 'string') {
    return (await otherChannels(accountId, channelId).execute(transaction)).rows
  }
  const accountIds =
    accountId !== null ? [accountId] : typeof requestId === 'string' ? await readersOf(transaction, requestId) : []
  if (accountIds.length === 0) return []
  return (await channelsThatSubscribe(accountIds, type).execute(transaction)).rows
}

/** Fans out the oldest new events, and marks them, in one transaction. @returns the events and deliveries. */
export const fanOutEvents = ({ database, readersOf, now }: FanOutDependencies) =>
  database.transaction().execute(async (transaction) => {
    const { rows: events } = await sql<EventRow>`
      select id, account_id, type, watch_id, subject from events where fanned_out_at is null
      order by sequence limit ${maxEvents} for update skip locked`.execute(transaction)
    if (events.length === 0) return { events: 0, deliveries: 0 }
    const deliveries: { channel_id: string; event_id: string; due_at: Date; created_at: Date }[] = []
    for (const event of events) {
      for (const { id, cadence, timezone, hour } of await findTargets(transaction, event, readersOf)) {
        const due = cadence === 'now' ? now : nextDigest(now, { cadence, timezone, hour })
        deliveries.push({ channel_id: id, event_id: event.id, due_at: due, created_at: now })
      }
    }
    const channelIds = [...new Set(deliveries.map(({ channel_id }) => channel_id))].toSorted()
    // Locking leaves out deleted channels, and keeps the others from being deleted meanwhile.
    const { rows: locked } = await sql<{ id: string }>`
      select id from channels where id = any(${channelIds}::uuid[]) and state = 'active' order by id for update`.execute(
      transaction,
    )
    const present = new Set(locked.map(({ id }) => id))
    const written = deliveries.filter(({ channel_id }) => present.has(channel_id))
    await sql`
      insert into channel_deliveries (channel_id, event_id, due_at, created_at)
      select * from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
        as fresh (channel_id uuid, event_id uuid, due_at timestamptz, created_at timestamptz)
      on conflict do nothing`.execute(transaction)
    await wakeChannels(transaction, [...present])
    const ids = events.map(({ id }) => id)
    await sql`update events set fanned_out_at = ${now} where id = any(${ids}::uuid[])`.execute(transaction)
    return { events: events.length, deliveries: written.length }
  })
