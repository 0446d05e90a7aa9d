import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import type { Observation } from './catalogue.ts'
import type { Collector } from './collectors.ts'

/** Numbers up to this are exact: counting must not take longer the longer a queue is. */
export const maxCounted = 10_000

/** The queues of `collecting/scraping/queue.ts` by the value of the label. */
const queues = { jobs: 'scrape-task', live: 'live-task' } as const

async function readTasks(database: Database): Promise<Observation[]> {
  const { rows } = await sql<{ platform: string; state: string; tasks: number }>`
    select platform, case when state = 'running' and waiting_until is not null then 'waiting' else state end as state,
      count(*)::int as tasks
    from (
      select platform, state, waiting_until from scrape_tasks where state in ('pending', 'running')
      limit ${sql.lit(maxCounted)}
    ) as open group by 1, 2`.execute(database)
  return rows.map(({ platform, state, tasks }) => ({
    name: 'wishwell_tasks',
    value: tasks,
    labels: { platform, state },
  }))
}

async function readJobs(database: Database): Promise<Observation[]> {
  const { rows } = await sql<{ queued: number; live: number }>`
    select (
      select count(*)::int from (
        select from scrape_jobs where ended_at is null and begun_at is null limit ${sql.lit(maxCounted)}
      ) as waiting
    ) as queued, (select count(*)::int from live_calls) as live`.execute(database)
  const { queued, live } = rows[0]!
  return [
    { name: 'wishwell_jobs_queued', value: queued, labels: {} },
    { name: 'wishwell_live_calls', value: live, labels: {} },
  ]
}

async function readQueue(database: Database, queue: keyof typeof queues): Promise<Observation[]> {
  const { rows } = await sql<{ due: number; seconds: number }>`
    select count(*)::int as due, coalesce(extract(epoch from now() - min(start_after)), 0)::float8 as seconds
    from (
      select start_after from pgboss.job
      where name = ${queues[queue]} and state < 'active' and start_after <= now()
      order by start_after limit ${sql.lit(maxCounted)}
    ) as waiting`.execute(database)
  const { due, seconds } = rows[0]!
  return [
    { name: 'wishwell_queue_messages', value: due, labels: { queue } },
    { name: 'wishwell_queue_oldest_seconds', value: seconds, labels: { queue } },
  ]
}

/** Jobs, their tasks and the queue. */
export const jobCollector = (database: Database): Collector => ({
  name: 'jobs',
  maxAgeMs: 10_000,
  read: async () => [
    ...(await readTasks(database)),
    ...(await readJobs(database)),
    ...(await readQueue(database, 'jobs')),
    ...(await readQueue(database, 'live')),
  ],
})
