import { sql } from 'kysely'
import type { Database, Executor } from '../../../database/open.ts'
import { clockToleranceMs } from '../../../runtime/stored-instants.ts'
import { wakeChannels } from '../store/deliveries.ts'
import { type DigestSchedule, nextDigest } from './digest-time.ts'
import { maxRetryAfterMs } from './record.ts'

/** The channels with waiting digests, and each one's next digest from now. */
async function nextDigests(executor: Executor, now: Date) {
  const { rows } = await sql<DigestSchedule>`
    select distinct cadence, timezone, hour from channels where cadence <> 'now' and due_at is not null`.execute(
    executor,
  )
  return rows.map((schedule) => ({ ...schedule, at: nextDigest(now, schedule) }))
}

/** Caps deliveries at the next digest or the longest retry from now, and rests likewise. @returns how many. */
export const correctDeliveries = (database: Database, now: Date): Promise<number> =>
  database.transaction().execute(async (transaction) => {
    const latest = new Date(now.getTime() + maxRetryAfterMs + clockToleranceMs)
    const digests = JSON.stringify(await nextDigests(transaction, now))
    const isBeyond = sql`delivery.due_at > coalesce(digest.at, ${latest}::timestamptz)`
    const withDigest = sql`
      left join jsonb_to_recordset(${digests}::jsonb) as digest (cadence text, timezone text, hour smallint, at timestamptz)
        on digest.cadence = channels.cadence and digest.timezone = channels.timezone and digest.hour = channels.hour and delivery.message_id is null`
    const { rows: channels } = await sql<{ id: string }>`
      select id from channels where rests_until > ${latest}::timestamptz or id in (
        select channel_id from channel_deliveries as delivery join channels on channels.id = channel_id ${withDigest}
        where ${isBeyond}) order by id for update`.execute(transaction)
    const ids = channels.map(({ id }) => id)
    if (ids.length === 0) return 0
    await sql`update channels set rests_until = null where id = any(${ids}::uuid[]) and rests_until > ${latest}::timestamptz`.execute(
      transaction,
    )
    const { numAffectedRows } = await sql`
      update channel_deliveries as corrected set due_at = coalesce(digest.at, ${now}::timestamptz)
      from channel_deliveries as delivery join channels on channels.id = channel_id ${withDigest}
      where corrected.id = delivery.id and channels.id = any(${ids}::uuid[]) and ${isBeyond}`.execute(transaction)
    await wakeChannels(transaction, ids)
    return Number(numAffectedRows)
  })
