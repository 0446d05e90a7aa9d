import { sql } from 'kysely'
import type { Logger } from 'pino'
import { accountExists } from '../accounts/accounts.ts'
import { noteEvent } from '../accounts/events/events.ts'
import { hasKeyEnded } from '../accounts/keys.ts'
import { monthOf } from '../accounts/period.ts'
import type { Database, Transaction } from '../database/open.ts'
import type { SkipReason } from '../database/tables/watches.ts'
import { ServiceError } from '../http/errors.ts'
import { type BackgroundRun, createBackgroundRun } from '../runtime/background-run.ts'
import type { Clock } from '../runtime/clock.ts'
import { passOverFailures } from '../runtime/maintenance.ts'
import { clockToleranceMs } from '../runtime/stored-instants.ts'
import { isUnderWay, type RunDependencies, startRun } from './runs.ts'
import { nextInstant } from './schedule.ts'
import { scheduleOf, unseenMs, type Watch } from './watch.ts'

// A watch is due once `next_run_at` has passed. Whoever advances it owns the run, in the same transaction.

interface DueDependencies extends RunDependencies {
  database: Database
  clock: Clock
  log: Logger
}

type DueWatch = Watch & { next_run_at: Date }

const watchesPerSlice = 100

/** Runs every due watch, or records why not. A failing one is logged, retried next time, and delays no other. */
export async function runDueWatches(dependencies: DueDependencies, signal: AbortSignal): Promise<void> {
  const { database, clock, log } = dependencies
  let last: DueWatch | null = null
  do {
    const due: DueWatch[] = await readDue(database, clock.now(), last)
    await passOverFailures(due, log, async (watch) => {
      if (!signal.aborted) await runDueWatch(dependencies, watch)
    })
    last = due.length === watchesPerSlice ? due.at(-1)! : null
  } while (last !== null && !signal.aborted)
}

async function readDue(database: Database, now: Date, after: DueWatch | null): Promise<DueWatch[]> {
  const from = after === null ? sql`` : sql`and (next_run_at, id) > (${after.next_run_at}, ${after.id}::uuid)`
  const { rows } = await sql<DueWatch>`
    select * from watches where state = 'active' and next_run_at <= ${now}::timestamptz ${from}
    order by next_run_at, id limit ${watchesPerSlice}`.execute(database)
  return rows
}

const correctedPerSlice = 500
/** Schedules never have two instants this close, so an earlier one is the next. */
const shortestMs = 3600_000

/** Caps each next run at its schedule's next instant (the clock may have moved). @returns how many. */
export async function correctNextRuns(database: Database, now: Date): Promise<number> {
  const beyond = new Date(now.getTime() + shortestMs)
  let corrected = 0
  for (let after: string | null = null; ; ) {
    const { rows }: { rows: DueWatch[] } = await sql<DueWatch>`
      select * from watches where state = 'active' and next_run_at > ${beyond}::timestamptz
        and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${correctedPerSlice}`.execute(database)
    for (const watch of rows) {
      const next = nextInstant(scheduleOf(watch), now)
      if (next >= watch.next_run_at) continue
      const { numUpdatedRows } = await database
        .updateTable('watches')
        .set({ next_run_at: next })
        .where('id', '=', watch.id)
        .where('next_run_at', '=', watch.next_run_at)
        .where('schedule', '=', watch.schedule)
        .where('timezone', '=', watch.timezone)
        .executeTakeFirst()
      corrected += Number(numUpdatedRows)
    }
    if (rows.length < correctedPerSlice) break
    after = rows.at(-1)!.id
  }
  await freeInstants(database, now)
  return corrected
}

/** Frees future instants used by a clock that was ahead, by dating their runs before now. */
const freeInstants = (database: Database, now: Date) =>
  sql`
    update watch_runs set due_at = ${now}::timestamptz - early.number * interval '1 ms'
    from (select id, row_number() over (partition by watch_id order by due_at desc) as number from watch_runs
      where trigger = 'schedule' and due_at > ${now}::timestamptz
        and greatest(due_at, begun_at) > ${new Date(now.getTime() + clockToleranceMs)}::timestamptz) as early
    where watch_runs.id = early.id`.execute(database)

const isUnpaid = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'RATE_LIMITED' && error.extras.reason !== 'rate'

async function runDueWatch(dependencies: DueDependencies, watch: DueWatch): Promise<void> {
  const { database, clock, log } = dependencies
  const { id: watchId, next_run_at: dueAt } = watch
  const now = clock.now()
  try {
    const outcome = await database.transaction().execute((transaction) => run(transaction, dependencies, watch, now))
    log.info({ watchId, dueAt, ...outcome }, 'watch is due')
  } catch (error) {
    if (!isUnpaid(error)) throw error
    // The refusal rolled back everything. If another process claimed the instant meanwhile, it decided.
    const reason = error.extras.reason ?? null
    const skipped = await database
      .transaction()
      .execute((transaction) => skipUnpaid(transaction, watch, { reason, now }))
    if (skipped) log.info({ watchId, dueAt, reason }, 'nothing pays for a run of the watch')
  }
}

/** Advances a watch from this instant to the next, and locks it. @returns null if the instant was already claimed. */
async function claimInstant(transaction: Transaction, watch: DueWatch, now: Date): Promise<Watch | null> {
  const { id, next_run_at: dueAt, schedule, timezone } = watch
  // Never earlier, even if another process's clock is ahead.
  const next = nextInstant(scheduleOf(watch), now > dueAt ? now : dueAt)
  const claimed = await transaction
    .updateTable('watches')
    .set({ next_run_at: next })
    .where('id', '=', id)
    .where('state', '=', 'active')
    .where('next_run_at', '=', dueAt)
    .where('schedule', '=', schedule)
    .where('timezone', '=', timezone)
    .returningAll()
    .executeTakeFirst()
  if (claimed === undefined) return null
  // A clock that is behind may have reset it when the watch was changed.
  const known = await transaction
    .selectFrom('watch_runs')
    .select('id')
    .where('watch_id', '=', id)
    .where('due_at', '=', dueAt)
    .where('trigger', '=', 'schedule')
    .executeTakeFirst()
  return known === undefined ? claimed : null
}

async function run(transaction: Transaction, dependencies: DueDependencies, due: DueWatch, now: Date) {
  const watch = await claimInstant(transaction, due, now)
  if (watch === null) return { outcome: 'claimed elsewhere' }
  // Created while its account was being deleted.
  if (!(await accountExists(transaction, watch.account_id))) {
    await transaction.deleteFrom('watches').where('id', '=', watch.id).execute()
    return { outcome: 'its account is deleted' }
  }
  const asksBecause = await whyItAsks(transaction, watch, now)
  if (asksBecause !== null) {
    await ask(transaction, watch, { reason: asksBecause, now })
    return { outcome: 'asks', reason: asksBecause }
  }
  if (await isUnderWay(transaction, watch.id)) {
    await skip(transaction, due, { skipped: 'under_way', now })
    return { outcome: 'under way' }
  }
  const { key_id: keyId } = watch
  const jobId = await startRun(transaction, dependencies, watch, {
    trigger: 'schedule',
    dueAt: due.next_run_at,
    keyId,
    now,
  })
  return { outcome: 'runs', jobId }
}

/** Why a watch waits for its owner: the key that pays for it no longer works, or nobody looks at it. */
type AskReason = NonNullable<Watch['asking_because']>

async function whyItAsks(
  transaction: Transaction,
  { key_id: keyId, last_looked_at: lastLookedAt }: Watch,
  now: Date,
): Promise<AskReason | null> {
  if (keyId !== null && (await hasKeyEnded(transaction, keyId, now))) return 'key_ended'
  return now.getTime() - lastLookedAt.getTime() >= unseenMs ? 'not_looked_at' : null
}

async function ask(
  transaction: Transaction,
  { id: watchId, account_id: accountId }: Watch,
  { reason, now }: { reason: AskReason; now: Date },
): Promise<void> {
  await transaction
    .updateTable('watches')
    .set({ state: 'asking', asking_because: reason, next_run_at: null })
    .where('id', '=', watchId)
    .execute()
  await noteEvent(transaction, { accountId, type: 'watch.asks', subject: { watchId, reason }, watchId, now })
}

/** @returns the id of the skipped run. */
async function skip(
  transaction: Transaction,
  { id, next_run_at: dueAt }: DueWatch,
  { skipped, now }: { skipped: SkipReason; now: Date },
): Promise<string> {
  const { id: runId } = await transaction
    .insertInto('watch_runs')
    .values({ watch_id: id, trigger: 'schedule', due_at: dueAt, begun_at: now, job_id: null, skipped })
    .returning('id')
    .executeTakeFirstOrThrow()
  return runId
}

/** Skips an unpaid instant, and notes the event once a month. @returns false if it was claimed elsewhere. */
async function skipUnpaid(
  transaction: Transaction,
  due: DueWatch,
  { reason, now }: { reason: string | null; now: Date },
): Promise<boolean> {
  const watch = await claimInstant(transaction, due, now)
  if (watch === null) return false
  const { id: watchId, account_id: accountId } = watch
  const runId = await skip(transaction, due, { skipped: 'no_credits', now })
  const month = monthOf(now)
  if (watch.told_unpaid_in === month) return true
  await transaction.updateTable('watches').set({ told_unpaid_in: month }).where('id', '=', watchId).execute()
  const subject = { watchId, runId, reason }
  await noteEvent(transaction, { accountId, type: 'watch.skipped_no_credits', subject, watchId, now })
  return true
}

/** How late a run may start, apart from load. */
const intervalMs = 10_000

/** Runs due watches every few seconds until stopped. */
export const startWatches = (dependencies: DueDependencies): BackgroundRun =>
  createBackgroundRun({
    everyMs: intervalMs,
    step: async (signal) => {
      await runDueWatches(dependencies, signal)
      return false
    },
    onError: (error) => dependencies.log.error({ err: error }, 'watches that are due could not be read'),
  })
