import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { type PlatformStatus, platformStates, readPlatformStatus, type StatusOptions } from '../../platforms/status.ts'
import { readBacklog } from '../../wishes/placing/placing.ts'
import type { Observation } from './catalogue.ts'
import type { Collector } from './collectors.ts'

/** Counts are exact up to this: counting must not slow down with the queue. */
export const maxCounted = 10_000

/** The queues of `collecting/scraping/queue.ts`, by label value. */
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

/** Jobs, tasks and the queue. */
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

/** An external search index's unread part of the outbox. */
export interface OutboxBacklog {
  index: 'opensearch'
  changes: number
  ageSeconds: number
}

/** Background work: requests to place in wishes, texts to write, and texts whose words are to be counted. */
export const backlogCollector = (database: Database): Collector => ({
  name: 'backlogs',
  maxAgeMs: 10_000,
  read: async () => {
    const unplaced = await readBacklog(database)
    const { rows } = await sql<{ texts: number }>`
      select count(*)::int as texts
      from (select from uncounted_texts union all select from unwritten_texts limit ${sql.lit(maxCounted)}) as waiting`.execute(
      database,
    )
    return [
      { name: 'wishwell_unplaced_requests', value: unplaced, labels: {} },
      { name: 'wishwell_uncounted_texts', value: rows[0]!.texts, labels: {} },
    ]
  },
})

/** @param read reads each external search index's backlog */
export const outboxCollector = (read: () => Promise<readonly OutboxBacklog[]>): Collector => ({
  name: 'outbox',
  maxAgeMs: 10_000,
  read: async () =>
    (await read()).flatMap(({ index, changes, ageSeconds }) => [
      { name: 'wishwell_search_outbox_changes' as const, value: changes, labels: { index } },
      { name: 'wishwell_search_outbox_age_seconds' as const, value: ageSeconds, labels: { index } },
    ]),
})

/** The size of the database; read rarely, because it counts files. */
export const sizeCollector = (database: Database): Collector => ({
  name: 'size',
  maxAgeMs: 120_000,
  read: async () => {
    const { rows } = await sql<{ bytes: number }>`
      select pg_database_size(current_database())::float8 as bytes`.execute(database)
    return [{ name: 'wishwell_database_size_bytes', value: rows[0]!.bytes, labels: {} }]
  },
})

const lowest = (shares: readonly { remaining: number; limit: number }[]): number =>
  Math.min(...shares.map(({ remaining, limit }) => remaining / limit))

function observePlatform({ platform, state, hosts, lastSuccessAt }: PlatformStatus): Observation[] {
  const labels = { platform }
  const quotas = hosts.flatMap(({ quota }) => quota ?? [])
  const observations: Observation[] = platformStates
    .filter((name) => name !== 'off')
    .map((name) => ({
      name: 'wishwell_platform_state',
      value: name === state ? 1 : 0,
      labels: { platform, state: name },
    }))
  if (hosts.length > 0) {
    const budget = lowest(hosts.map((host) => host.budget))
    observations.push({ name: 'wishwell_platform_budget_remaining_ratio', value: budget, labels })
    const failures = Math.max(...hosts.map((host) => host.failures))
    observations.push({ name: 'wishwell_platform_failures', value: failures, labels })
  }
  if (quotas.length > 0)
    observations.push({ name: 'wishwell_platform_quota_remaining_ratio', value: lowest(quotas), labels })
  if (lastSuccessAt !== null) {
    const value = Date.parse(lastSuccessAt) / 1_000
    observations.push({ name: 'wishwell_platform_last_success_timestamp_seconds', value, labels })
  }
  return observations
}

/** The enabled platforms. Hosts are no label: they are addresses configured by the operator. */
export const platformCollector = (options: () => StatusOptions): Collector => ({
  name: 'platforms',
  maxAgeMs: 10_000,
  read: async () => {
    const statuses = await readPlatformStatus(options())
    return statuses.filter(({ state }) => state !== 'off').flatMap(observePlatform)
  },
})

/** This process's use of CPU, memory and event loop. */
export function observeProcess(): Observation[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const memory = { resident: rss, heap: heapUsed, external, buffers: arrayBuffers }
  return [
    { name: 'process_cpu_seconds_total', value: (user + system) / 1e6, labels: {} },
    { name: 'process_start_time_seconds', value: performance.timeOrigin / 1_000, labels: {} },
    {
      name: 'wishwell_event_loop_active_seconds_total',
      value: performance.eventLoopUtilization().active / 1_000,
      labels: {},
    },
    ...Object.entries(memory).map(
      ([kind, value]): Observation => ({ name: 'wishwell_memory_bytes', value, labels: { kind } }),
    ),
  ]
}
