import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { platformNames } from '../../platforms/registry.ts'
import type { Observation, ObservedName } from '../metrics/catalogue.ts'
import { backlogCollector, jobCollector, maxCounted } from '../metrics/gauges.ts'
import type { Overview } from './schemas.ts'

type Backlogs = Overview['backlogs']

interface BacklogOptions {
  now: Date
  /** Texts that the model may judge per UTC day; 0 for none. */
  judgedPerDay: number
}

/** What waits: the metrics' readings (even if metrics are off), and counts up to `maxCounted`. */
export async function readBacklogs(database: Database, { now, judgedPerDay }: BacklogOptions): Promise<Backlogs> {
  const observed = [...(await jobCollector(database).read()), ...(await backlogCollector(database).read())]
  const values = (name: ObservedName) => valuesOf(observed, name)
  const sum = (name: ObservedName) =>
    Math.min(
      maxCounted,
      values(name).reduce((total, value) => total + value, 0),
    )
  return {
    jobsQueued: sum('wishwell_jobs_queued'),
    tasks: sum('wishwell_tasks'),
    queueMessages: sum('wishwell_queue_messages'),
    queueOldestSeconds: Math.max(0, ...values('wishwell_queue_oldest_seconds')),
    liveCalls: sum('wishwell_live_calls'),
    unplacedRequests: sum('wishwell_unplaced_requests'),
    uncountedTexts: sum('wishwell_uncounted_texts'),
    ...(await readDue(database, now)),
    judging: judgedPerDay === 0 ? null : { perDay: judgedPerDay, ...(await readJudging(database, now)) },
  }
}

const valuesOf = (observations: readonly Observation[], name: ObservedName): number[] =>
  observations.filter((one) => one.name === name).map(({ value }) => value)

/** Due deliveries and refreshes. Each platform is a range of the refresh index, so no other row is read. */
async function readDue(database: Database, now: Date) {
  const { rows } = await sql<Pick<Backlogs, 'deliveries' | 'deliveryOldestSeconds' | 'refreshes'>>`
    select count(*)::int as deliveries,
      coalesce(extract(epoch from ${now}::timestamptz - min(due_at)), 0)::float8 as "deliveryOldestSeconds",
      (select count(*)::int from (
        select from unnest(${[...platformNames]}::text[]) as on_platform (name) cross join lateral (
          select from request_refreshes where platform = name and due_at <= ${now}::timestamptz limit ${sql.lit(maxCounted)}
        ) as due limit ${sql.lit(maxCounted)}
      ) as refreshes) as refreshes
    from (
      select due_at from channel_deliveries where due_at is not null and due_at <= ${now}::timestamptz limit ${sql.lit(maxCounted)}
    ) as due`.execute(database)
  return rows[0]!
}

async function readJudging(database: Database, now: Date) {
  const { rows } = await sql<{ today: number; unanswered: number }>`
    select coalesce((select judged from judgement_days where day = ${now.toISOString().slice(0, 10)}::date), 0) as today,
      (select count(*)::int from (select from judgement_tries limit ${sql.lit(maxCounted)}) as tried) as unanswered`.execute(
    database,
  )
  return rows[0]!
}
