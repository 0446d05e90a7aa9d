import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-words.ts'

/** Pages of a topic a platform has delivered, to all jobs. */
export async function countPages(executor: Executor, platform: PlatformName, topic: string): Promise<number> {
  const row = await executor
    .selectFrom('platform_topics')
    .select('pages')
    .where('platform', '=', platform)
    .where('topic_key', '=', topicKey(topic))
    .executeTakeFirst()
  return row?.pages ?? 0
}

/** Counts an account's pages with exactly these sources, whose round-robin differs from that of `countPages`. */
export async function countPagesOfSources(
  executor: Executor,
  { jobId, platform, topic, sources }: { jobId: string; platform: PlatformName; topic: string; sources: string[] },
): Promise<number> {
  const rows = await executor
    .selectFrom('scrape_jobs as own')
    .innerJoin('scrape_jobs as jobs', 'jobs.account_id', 'own.account_id')
    .innerJoin('scrape_tasks as tasks', 'tasks.job_id', 'jobs.id')
    .select(['jobs.topic', 'tasks.pages'])
    .where('own.id', '=', jobId)
    .where('tasks.platform', '=', platform)
    .where(sql<boolean>`tasks.sources = ${sources}::text[]`)
    .execute()
  const key = topicKey(topic)
  return rows.reduce((pages, row) => (topicKey(row.topic) === key ? pages + row.pages : pages), 0)
}

/** Counts all pages of a watch (one topic): a count that stops growing would repeat the same turn. */
export async function countPagesOfWatch(
  executor: Executor,
  { jobId, platform, sources }: { jobId: string; platform: PlatformName; sources: string[] | null },
): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select coalesce(sum(tasks.pages), 0)::integer as pages
    from scrape_jobs as own join scrape_jobs as jobs on jobs.watch_id = own.watch_id join scrape_tasks as tasks on tasks.job_id = jobs.id
    where own.id = ${jobId}::uuid and tasks.platform = ${platform} and tasks.sources is not distinct from ${sources}::text[]`.execute(
    executor,
  )
  return rows[0]?.pages ?? 0
}

/** Lists a topic that only an expansion had suggested. Call in a page's transaction, after the page. */
export async function listNamedTopic(transaction: Transaction, jobId: string, topic: string): Promise<void> {
  await sql`
    update topics set from_expansion = false where key = ${topicKey(topic)} and from_expansion
    and exists (select from scrape_jobs where id = ${jobId}::uuid and not from_expansion)`.execute(transaction)
}

/** Call in the page's transaction. Locks the topic first, like pages that spell it: another order could deadlock. */
export async function countPage(
  transaction: Transaction,
  platform: PlatformName,
  topic: string,
  now: Date,
): Promise<void> {
  const key = topicKey(topic)
  await sql`select from topics where key = ${key} for no key update`.execute(transaction)
  await sql`
    with fresh as (
      update topics set collected_at = ${now} where key = ${key} and collected_at < ${now}
    )
    insert into platform_topics (platform, topic_key, pages, collected_at) values (${platform}, ${key}, 1, ${now})
    on conflict (platform, topic_key) do update set pages = platform_topics.pages + 1, collected_at = excluded.collected_at`.execute(
    transaction,
  )
}
