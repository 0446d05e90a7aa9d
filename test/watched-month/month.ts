import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Random } from '../../simulator/random.ts'
import { defaultPricing } from '../../src/accounts/plans.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import type { Database } from '../../src/database/open.ts'
import type { TestClient } from '../client.ts'
import type { Script } from '../scripted-platform.ts'
import { instantsOf, localMinutes, type Rule } from './local-time.ts'

// A month of watches on a clock that the test moves. It has two changes of summer time, one of each kind, and the end of a UTC month.

/** Before the change in Europe (29 March, an hour is left out) and those in Australia (5 April, an hour comes twice). */
export const monthStart = new Date('2026-03-20T00:00:00Z')
const monthEnd = new Date('2026-04-20T00:00:00Z')
const timezones = ['Europe/Berlin', 'Australia/Sydney', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC']

/** Pages without an end and without requests: a first run gets all that it pays for, later ones end after a page. */
export const emptyPages: Script = (_call, { cursor }) => ({
  requests: [],
  nextCursor: (typeof cursor === 'number' ? cursor : 0) + 1,
})

interface PlannedWatch {
  watchId: string
  instants: Date[]
  depth: number
  platforms: number
  monthlyCredits: number
  /** Whether its account has credits for everything. */
  isRich: boolean
}

/** @param isLarge whether there is time for a watch that runs 744 times. */
const scheduleOf = (number: number, isLarge: boolean): { schedule: string; hours?: number[]; minute?: number } => {
  if (number === 0 && isLarge) return { schedule: 'hourly' }
  if (number % 50 === 1) return { schedule: '15 */6 * * *', hours: [0, 6, 12, 18], minute: 15 }
  if (number % 6 === 0) return { schedule: '30 2 * * *', hours: [2], minute: 30 }
  if (number % 6 === 3) return { schedule: '45 1 * * *', hours: [1], minute: 45 }
  return { schedule: ['daily', 'weekly', 'monthly'][number % 3]! }
}

/** What a preset means to this watch, as one of its later instants shows it: none of them is at a change of summer time. */
function ruleOf(schedule: string, timezone: string, shown: Date): Rule {
  const { local } = localMinutes(timezone, new Date(Math.floor(+shown / 900_000) * 900_000), new Date(+shown + 1)).find(
    ({ instant }) => +instant === +shown,
  )!
  return {
    minute: local.getUTCMinutes(),
    hours: schedule === 'hourly' ? null : [local.getUTCHours()],
    weekday: schedule === 'weekly' ? local.getUTCDay() : null,
    day: schedule === 'monthly' ? local.getUTCDate() : null,
  }
}

/** Makes watches with all kinds of schedules and budgets. One of ten belongs to an account that is out of credits soon. */
export async function makeWatches(
  count: number,
  { rich, poor }: { rich: readonly TestClient[]; poor: TestClient },
  random: Random,
): Promise<PlannedWatch[]> {
  const minutes = new Map(timezones.map((timezone) => [timezone, localMinutes(timezone, monthStart, monthEnd)]))
  const planned: PlannedWatch[] = []
  for (let number = 0; number < count; number++) {
    const timezone = timezones[number % timezones.length]!
    const { schedule, hours, minute } = scheduleOf(number, count >= 50)
    const platforms = ['github', 'hackernews'].slice(0, random.integer(1, 2))
    const depth = random.integer(1, 3)
    const monthlyCredits = depth * platforms.length + random.integer(0, 29)
    const isRich = number % 10 !== 7
    const { status, body } = await (isRich ? rich[number % rich.length]! : poor).post('/api/v1/watches', {
      name: `watch ${number}`,
      topic: `topic ${number}`,
      schedule,
      timezone,
      platforms,
      depth,
      monthlyCredits,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    const { watchId, preview } = body.data
    const rule =
      hours && minute !== undefined
        ? { minute, hours, weekday: null, day: null }
        : ruleOf(schedule, timezone, new Date(preview.runs[schedule === 'weekly' ? 3 : 0].at))
    const instants = instantsOf(rule, minutes.get(timezone)!).filter((instant) => instant > monthStart)
    planned.push({ watchId, instants, depth, platforms: platforms.length, monthlyCredits, isRich })
  }
  return planned
}

const stepMs = 20 * 60_000

/** When the clock is moved on: no watch is due twice between two of these moments. */
export function stepsOf(planned: readonly PlannedWatch[]): Date[] {
  const instants = planned.flatMap((watch) => watch.instants.map((instant) => Math.floor(+instant / stepMs)))
  return [...new Set(instants)].sort((a, b) => a - b).map((step) => new Date((step + 1) * stepMs - 1))
}

type Outcome = 'ran' | 'no_credits'

/** What must become of each instant of a watch whose account has credits for everything. */
function outcomesOf({ instants, depth, platforms, monthlyCredits }: PlannedWatch): [string, Outcome][] {
  const used = new Map<string, number>()
  let isFirst = true
  return instants.map((instant) => {
    const text = instant.toISOString()
    const month = text.slice(0, 7)
    const before = used.get(month) ?? 0
    if (before + depth * platforms > monthlyCredits) return [text, 'no_credits']
    // A later run ends after a page of each platform.
    used.set(month, before + platforms * (isFirst ? depth : 1))
    isFirst = false
    return [text, 'ran']
  })
}

interface Told {
  type: string
  watch_id: string | null
  subject: Record<string, string>
}

/** Compares everything that is stored with the model. */
export async function checkMonth(database: Database, planned: readonly PlannedWatch[]): Promise<void> {
  expect(await verifyLedger(database)).toEqual([])
  const runs = await database.selectFrom('watch_runs').selectAll().orderBy('due_at').execute()
  const ofWatch = Map.groupBy(runs, (run) => run.watch_id)
  for (const watch of planned) {
    const own = ofWatch.get(watch.watchId) ?? []
    const stored = own.map(({ due_at, skipped }) => [due_at.toISOString(), skipped ?? 'ran'])
    if (watch.isRich) expect(stored).toEqual(outcomesOf(watch))
    else expect(stored.map(([instant]) => instant)).toEqual(watch.instants.map((instant) => instant.toISOString()))
  }
  const { rows: over } = await sql`
    select spender_id from spender_months join watches on watches.id = spender_id
    where kind = 'watch' and (held > 0 or settled > monthly_credits)`.execute(database)
  expect(over).toEqual([])
  const { rows: pools } = await sql<{ month: string; settled: number; limit: number }>`
    select month, sum(pool_settled_change)::integer as settled, case tier when 'free' then ${defaultPricing.plans.free.creditsPerMonth}::integer
      else ${defaultPricing.plans.max.creditsPerMonth}::integer end as "limit"
    from credit_entries join accounts on accounts.id = account_id group by account_id, tier, month`.execute(database)
  expect(pools.filter(({ settled, limit }) => settled > limit)).toEqual([])
  await checkEvents(database, runs)
}

/** Each end of a job is told once; that nothing pays, once a month and watch, by its first run of the month; nothing else is told. */
async function checkEvents(
  database: Database,
  runs: readonly { id: string; watch_id: string; due_at: Date; job_id: string | null; skipped: string | null }[],
): Promise<void> {
  const { rows: told } = await sql<Told>`
    select type, watch_id, subject from events where type like 'scrape.%' or type like 'watch.%' order by sequence`.execute(
    database,
  )
  const firstSkipped = new Map<string, string>()
  for (const { id, watch_id, due_at, skipped } of runs) {
    const month = `${watch_id} ${due_at.toISOString().slice(0, 7)}`
    if (skipped === 'no_credits' && !firstSkipped.has(month)) firstSkipped.set(month, id)
  }
  const texts = (events: readonly Told[], field: string) => events.map(({ subject }) => subject[field]).sort()
  const {
    completed = [],
    skipped = [],
    other = [],
  } = Object.groupBy(told, ({ type }) =>
    type === 'scrape.completed' ? 'completed' : type === 'watch.skipped_no_credits' ? 'skipped' : 'other',
  )
  expect(texts(completed, 'jobId')).toEqual(runs.flatMap(({ job_id }) => job_id ?? []).sort())
  expect(texts(skipped, 'runId')).toEqual([...firstSkipped.values()].sort())
  expect(skipped.every((event) => event.watch_id === event.subject.watchId)).toBe(true)
  expect(other).toEqual([])
}
