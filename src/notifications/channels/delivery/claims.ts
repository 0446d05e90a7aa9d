import { sql } from 'kysely'
import type { EventSubject, EventType } from '../../../accounts/events/events.ts'
import { type ClaimedRow, claimRows, isUnclaimed, renewClaim } from '../../../database/claimed-work.ts'
import type { Database, Executor, Transaction } from '../../../database/open.ts'
import type { ChannelCadence, ChannelType } from '../../../database/tables/notifications.ts'
import type { NewsKind } from '../../../database/tables/watches.ts'

export interface ClaimedEvent {
  deliveryId: string
  eventId: string
  type: EventType
  subject: EventSubject
  occurredAt: Date
}

/** A channel claimed for delivering one message. */
export interface Claim {
  channelId: string
  accountId: string
  type: ChannelType
  name: string
  config: string
  host: string
  failures: number
  failingSince: Date | null
  /** Distinguishes claims of a channel. */
  token: string
  /** Duration since it was made or renewed. */
  claimMs: number
  messageId: string
  cadence: ChannelCadence
  mutedNews: NewsKind[]
  attempts: number
  /** At least one; a digest has several, in order. */
  events: ClaimedEvent[]
}

interface ChannelRow extends ClaimedRow {
  account_id: string
  type: ChannelType
  name: string
  config: string
  host: string
  failures: number
  failing_since: Date | null
  cadence: ChannelCadence
  muted_news: NewsKind[]
}

interface DeliveryRow {
  id: string
  channel_id: string
  message_id: string
  attempts: number
  event_id: string
  type: EventType
  subject: EventSubject
  created_at: Date
}

/** For types that the operator no longer offers. */
const usualClaimMs = 60_000
/** Events per digest; more go into a second one. */
const maxDigest = 100

export interface ClaimInput {
  max: number
  now: Date
  /** Deliveries in progress in this process, by host. */
  underWay: ReadonlyMap<string, number>
  maxOfHost: number
  /** Claim time per channel type, after which others take over the channels of a dead process. */
  claimMs: ReadonlyMap<ChannelType, number>
  /** The channels in progress here, which are never claimed again, however long they take. */
  channelsUnderWay: ReadonlySet<string>
}

/** Claims due channels, longest due first, within each host's maximum. */
async function claimChannels(
  transaction: Transaction,
  { max, now, underWay, maxOfHost, claimMs, channelsUnderWay }: ClaimInput,
) {
  const busy = [...underWay].filter(([, count]) => count >= maxOfHost).map(([host]) => host)
  const counts = JSON.stringify(Object.fromEntries(underWay))
  const durations = JSON.stringify(Object.fromEntries(claimMs))
  const isDue = sql`due_at <= ${now} and state = 'active'`
  return claimRows<ChannelRow>(transaction, 'channels', {
    where: sql`${isDue} and id = any(array(
      select id from (
        select id, row_number() over (partition by host order by due_at, id)
          + coalesce((${counts}::jsonb ->> host)::integer, 0) as place
        from (
          select id, host, due_at from channels where ${isDue} and ${isUnclaimed} and host <> all(${busy}::text[])
            and id <> all(${[...channelsUnderWay]}::uuid[])
          order by due_at, id limit ${sql.lit(max * 4)}
        ) as due
      ) as ranked where place <= ${maxOfHost}))`,
    order: sql`due_at, id`,
    max,
    claimMs: sql`coalesce((${durations}::jsonb ->> type)::float8, ${sql.lit(usualClaimMs)})`,
    columns: sql`account_id, type, name, config, host, failures, failing_since, cadence, muted_news`,
  })
}

/** Restarts a claim's time, to cover composing and sending. @returns false if nothing may be sent. */
export const renewChannelClaim = (
  executor: Executor,
  { channelId, token, claimMs }: Pick<Claim, 'channelId' | 'token' | 'claimMs'>,
): Promise<boolean> =>
  renewClaim(executor, 'channels', { id: channelId, token }, { claimMs, where: sql`state = 'active'` })

/** Assigns due deliveries to a message, which stays the same in every attempt. */
const composeMessages = (transaction: Transaction, channelIds: readonly string[], now: Date) =>
  sql`
    with channel as materialized (
      select id, cadence, gen_random_uuid() as digest_id from channels where id = any(${channelIds}::uuid[])
    )
    update channel_deliveries as delivery
    set message_id = case when channel.cadence = 'now' then delivery.event_id else channel.digest_id end
    from channel cross join lateral (
      select one.id from channel_deliveries as one join events on events.id = one.event_id
      where one.channel_id = channel.id and one.due_at <= ${now} and one.message_id is null
      order by events.sequence limit ${sql.lit(maxDigest)}
    ) as fresh where delivery.id = fresh.id`.execute(transaction)

async function readMessages(transaction: Transaction, channelIds: readonly string[], now: Date) {
  const { rows } = await sql<DeliveryRow>`
    with head as materialized (
      select distinct on (channel_id) channel_id, message_id from channel_deliveries as one
      join events on events.id = one.event_id
      where channel_id = any(${channelIds}::uuid[]) and due_at <= ${now} and message_id is not null
      order by channel_id, due_at, events.sequence
    )
    select delivery.id, delivery.channel_id, delivery.message_id, delivery.attempts, event_id, type, subject, events.created_at
    from head join channel_deliveries as delivery using (channel_id, message_id) join events on events.id = event_id
    where delivery.due_at is not null order by events.sequence`.execute(transaction)
  return Map.groupBy(rows, ({ channel_id }) => channel_id)
}

const toEvent = (row: DeliveryRow): ClaimedEvent => ({
  deliveryId: row.id,
  eventId: row.event_id,
  type: row.type,
  subject: row.subject,
  occurredAt: row.created_at,
})

/** Claims channels, each with its next message. No two processes claim the same channel at a time. */
export const claimMessages = (database: Database, input: ClaimInput): Promise<Claim[]> =>
  database.transaction().execute(async (transaction) => {
    const channels = await claimChannels(transaction, input)
    if (channels.length === 0) return []
    const ids = channels.map(({ id }) => id)
    await composeMessages(transaction, ids, input.now)
    const messages = await readMessages(transaction, ids, input.now)
    return channels.map((channel): Claim => {
      const rows = messages.get(channel.id) ?? []
      return {
        channelId: channel.id,
        accountId: channel.account_id,
        type: channel.type,
        name: channel.name,
        config: channel.config,
        host: channel.host,
        failures: channel.failures,
        failingSince: channel.failing_since,
        token: channel.token,
        claimMs: input.claimMs.get(channel.type) ?? usualClaimMs,
        messageId: rows[0]?.message_id ?? '',
        cadence: channel.cadence,
        mutedNews: channel.muted_news,
        attempts: rows[0]?.attempts ?? 0,
        events: rows.map(toEvent),
      }
    })
  })
