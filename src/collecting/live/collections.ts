import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { takeLiveTopicLocks } from '../../database/advisory-locks.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import type { Collection } from '../../database/tables/collecting.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import type { TaskQueue } from '../scraping/queue.ts'
import { startUnownedJobs, type UnownedJob } from '../scraping/unowned-jobs.ts'

export interface CollectionPlan {
  topics: readonly string[]
  /** Whether an expansion suggested the topics; else the caller named them. */
  fromExpansion: boolean
  platforms: readonly PlatformName[]
  now: Date
  /** Pages collected after this are fresh. */
  freshAfter: Date
  /** End of its tasks at the latest, even after the answer. */
  expiresAt: Date
}

/** Bounds a slow platform's backlog, since calls without a page are free. Concurrent calls may exceed it. */
export const maxOpenTasks = 100

/**
 * Finds fresh and running collections of a plan and starts the rest: an unowned job per topic, a one-page task per
 * platform. Topics are locked in a fixed order, so equal calls share their collections.
 */
export async function startCollections(
  transaction: Transaction,
  queue: TaskQueue,
  plan: CollectionPlan,
): Promise<Collection[]> {
  if (plan.topics.length === 0) return []
  const keys = plan.topics.map(topicKey)
  await takeLiveTopicLocks(transaction, keys)
  if (!plan.fromExpansion) await listNamedTopics(transaction, keys)
  // A separate statement: its snapshot includes collections started while waiting for the locks.
  const known = await readKnown(transaction, plan, keys)
  const room = await readRoom(transaction, plan, known.size)
  const collections: Collection[] = []
  const missing: UnownedJob[] = []
  plan.topics.forEach((topic, index) => {
    const key = keys[index]!
    const tasks: { id: string; platform: PlatformName }[] = []
    for (const platform of plan.platforms) {
      const found = known.get(`${platform} ${key}`)
      const left = room.get(platform) ?? maxOpenTasks
      if (found) collections.push({ topic, platform, taskId: found.taskId, isRefused: false })
      else if (left <= 0) collections.push({ topic, platform, taskId: null, isRefused: true })
      else {
        const taskId = randomUUID()
        tasks.push({ id: taskId, platform })
        room.set(platform, left - 1)
        collections.push({ topic, platform, taskId, isRefused: false })
      }
    }
    if (tasks.length > 0)
      missing.push({ id: randomUUID(), topic, topicKey: key, fromExpansion: plan.fromExpansion, tasks })
  })
  await startUnownedJobs(transaction, queue, missing, plan)
  return collections
}

/** Lists topics that only expansions had suggested, as if this caller's pages did: it may need none of its own. */
async function listNamedTopics(transaction: Transaction, keys: readonly string[]): Promise<void> {
  const isOf = sql`topic_key = any(${[...keys]}::text[]) and account_id is null and from_expansion and ended_at is null`
  const { rows } = await sql`
    select from topics where key = any(${[...keys]}::text[]) and from_expansion
    union all select from scrape_jobs where ${isOf} limit 1`.execute(transaction)
  if (rows.length === 0) return
  // Jobs first, in a fixed order: a page that creates the topic has locked its job.
  await sql`
    update scrape_jobs set from_expansion = false where id = any(array(
      select id from scrape_jobs where ${isOf} order by id for no key update))`.execute(transaction)
  await sql`
    update topics set from_expansion = false where key = any(array(
      select key from topics where key = any(${[...keys]}::text[]) and from_expansion order by key for no key update))`.execute(
    transaction,
  )
}

/** Collections that are fresh (without a task) or running, by platform and topic key. */
async function readKnown(
  transaction: Transaction,
  { platforms, now, freshAfter }: CollectionPlan,
  keys: readonly string[],
) {
  const { rows } = await sql<{ platform: PlatformName; key: string; taskId: string | null }>`
    select platform, topic_key as key, null::uuid as "taskId" from platform_topics
    where topic_key = any(${[...keys]}::text[]) and platform = any(${[...platforms]}::text[])
      and collected_at > ${freshAfter}::timestamptz and collected_at <= ${now}::timestamptz
    union all
    select tasks.platform, jobs.topic_key, tasks.id
    from scrape_jobs jobs join scrape_tasks tasks on tasks.job_id = jobs.id
    where jobs.account_id is null and jobs.topic_key = any(${[...keys]}::text[])
      and tasks.platform = any(${[...platforms]}::text[]) and tasks.state in ('pending', 'running')`.execute(
    transaction,
  )
  const known = new Map<string, { taskId: string | null }>()
  for (const { platform, key, taskId } of rows) {
    const name = `${platform} ${key}`
    // Fresh takes precedence: nothing to wait for.
    if (known.get(name)?.taskId !== null) known.set(name, { taskId })
  }
  return known
}

/** Remaining tasks per platform; absent: `maxOpenTasks`. Not read if every collection is known. */
async function readRoom(transaction: Transaction, { topics, platforms }: CollectionPlan, known: number) {
  if (known === topics.length * platforms.length) return new Map<PlatformName, number>()
  const { rows } = await sql<{ platform: PlatformName; open: number }>`
    select tasks.platform, count(*)::integer as open
    from scrape_tasks tasks join scrape_jobs jobs on jobs.id = tasks.job_id
    where jobs.account_id is null and tasks.state in ('pending', 'running')
      and tasks.platform = any(${[...platforms]}::text[])
    group by tasks.platform`.execute(transaction)
  return new Map(rows.map(({ platform, open }) => [platform, maxOpenTasks - open]))
}

/** How long ended collections are kept for debugging. */
const retentionMs = 24 * 3600_000
const jobsPerSlice = 100

/** Deletes collections a day after their end, unless an open call planned them. @returns whether more may remain */
export async function deleteEndedCollections(database: Database, now: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from scrape_jobs where id in (
      select id from scrape_jobs
      where account_id is null and ended_at < ${new Date(now.getTime() - retentionMs)}::timestamptz
        and not exists (select from live_calls where live_calls.created_at <= ended_at)
      limit ${jobsPerSlice} for update skip locked
    ) returning id`.execute(database)
  return rows.length === jobsPerSlice
}
