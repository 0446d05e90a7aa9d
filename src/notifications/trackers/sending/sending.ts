import { sql } from 'kysely'
import { claimRows, isUnclaimed } from '../../../database/claimed-work.ts'
import type { Database, OpenDatabase } from '../../../database/open.ts'
import { createBackgroundRun, wakeOn } from '../../../runtime/background-run.ts'
import type { MaintenanceJob } from '../../../runtime/maintenance.ts'
import { clockToleranceMs } from '../../../runtime/stored-instants.ts'
import { type ClaimedTracker, callClaimed, claimMs, maxRetryAfterMs, type RoundDependencies } from './round.ts'

export interface SendingDependencies extends RoundDependencies {
  listen: OpenDatabase['listen']
  /** Whether it starts by itself; else only by `run`. */
  isAutomatic: boolean
}

/** Sends pushes to trackers and reads statuses in the background. */
export interface Sending {
  run(): Promise<void>
  job: MaintenanceJob
  /** Aborts the calls in progress; the next start looks for what they may have made. */
  stop(): Promise<void>
}

/** Trackers called at a time, one per account, so that a slow tracker delays only its account. */
const maxAtOnce = 16
/** Notified by `store/trackers.ts`. */
const channel = 'wishwell_pushes'
/** The shortest and longest wait for what is due next. */
const [minWaitMs, maxWaitMs] = [1_000, 15_000] as const

/** Claims due trackers, longest due first, at most one per account. */
const claimTrackers = (
  database: Database,
  { max, busy, now }: { max: number; busy: readonly string[]; now: Date },
): Promise<ClaimedTracker[]> => {
  const isDue = sql`due_at <= ${now}::timestamptz and (expires_at is null or expires_at > ${now}::timestamptz)`
  return claimRows(database, 'trackers', {
    where: sql`${isDue} and id in (
      select distinct on (account_id) id from trackers where ${isDue} and ${isUnclaimed} and account_id <> all(${[...busy]}::uuid[])
      order by account_id, due_at, id)`,
    order: sql`due_at, id`,
    max,
    claimMs,
    columns: sql<Omit<ClaimedTracker, 'id' | 'token'>>`account_id, type, config, failures`,
  })
}

async function readWait({ database, clock }: RoundDependencies): Promise<number> {
  const { rows } = await sql<{ due_at: Date | null }>`
    select min(due_at) as due_at from trackers
    where due_at is not null and (expires_at is null or expires_at > ${clock.now()}::timestamptz)`.execute(database)
  const due = rows[0]?.due_at ?? null
  if (due === null) return maxWaitMs
  return Math.min(maxWaitMs, Math.max(minWaitMs, due.getTime() - clock.now().getTime()))
}

/** Starts sending whenever a push is made or something is due. */
export async function startSending(dependencies: SendingDependencies): Promise<Sending> {
  const { database, clock, log, listen, isAutomatic } = dependencies
  const stopping = new AbortController()
  const { signal } = stopping
  const underWay = new Map<string, Promise<void>>()
  const begin = (tracker: ClaimedTracker) => {
    const called = callClaimed(dependencies, tracker, signal)
      .catch((error: unknown) => log.error({ err: error, tracker: tracker.id }, 'a tracker was not given free'))
      .finally(() => {
        underWay.delete(tracker.account_id)
        // Another tracker of this account may wait.
        if (isAutomatic) sending.startSoon(0)
      })
    underWay.set(tracker.account_id, called)
  }
  const sending = createBackgroundRun({
    step: async () => {
      const max = maxAtOnce - underWay.size
      const busy = [...underWay.keys()]
      const claimed = max <= 0 || signal.aborted ? [] : await claimTrackers(database, { max, busy, now: clock.now() })
      for (const tracker of claimed) begin(tracker)
      if (claimed.length === 0 && isAutomatic && !signal.aborted) sending.startSoon(await readWait(dependencies))
      return claimed.length > 0
    },
    onError: (error) => {
      log.error({ err: error }, 'claiming trackers failed')
      if (isAutomatic) sending.startSoon(maxWaitMs)
    },
  })
  const woken = isAutomatic ? await wakeOn(sending, { listen, channel, delayMs: 0 }) : sending
  return {
    run: async () => {
      for (let more = true; more && !signal.aborted; ) {
        await sending.run()
        more = underWay.size > 0
        await Promise.all(underWay.values())
      }
    },
    job: sending.job,
    stop: async () => {
      stopping.abort()
      await woken.stop()
      await Promise.all(underWay.values())
    },
  }
}

/** The longest wait of any adapter for an unclear issue to appear. */
const longestSettleMs = 600_000

/** Makes due now what is due later than any rule allows (the clock may have moved). @returns how many. */
export async function correctPushes(database: Database, now: Date): Promise<number> {
  const latest = new Date(now.getTime() + maxRetryAfterMs + clockToleranceMs)
  return database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string }>`
      select id from trackers where due_at > ${latest}::timestamptz or rests_until > ${latest}::timestamptz
        or exists (select from pushes where tracker_id = trackers.id and pushes.due_at > ${latest}::timestamptz) order by id for update`.execute(
      transaction,
    )
    const ids = rows.map(({ id }) => id)
    const settled = new Date(now.getTime() + longestSettleMs)
    await sql`
      update pushes set due_at = case when tried_at is not null and issue_id is null then ${settled} else ${now} end::timestamptz
      where tracker_id = any(${ids}::uuid[]) and due_at > ${latest}::timestamptz`.execute(transaction)
    await sql`update trackers set rests_until = null, due_at = ${now} where id = any(${ids}::uuid[])`.execute(
      transaction,
    )
    return ids.length
  })
}
