import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import { isListedTopic } from './listed-topics.ts'
import type { FoundPage } from './prepared-page.ts'
import type { StoredRequest } from './upsert.ts'

/**
 * Links the requests of a page that are about its topic to the topic. A listed request that was found in a source of an account is not
 * linked: the topic, and its counts, would tell all accounts what one of them collects.
 */
export async function linkToTopic(
  transaction: Transaction,
  { topic, unownedJobId, now, requests }: FoundPage,
  stored: ReadonlyMap<string, StoredRequest>,
): Promise<void> {
  const ids: string[] = []
  let isListedPage = false
  for (const { request, relevance } of requests) {
    const row = stored.get(request.sourceId)
    if (row === undefined || relevance !== 'onTopic') continue
    const wasListed = row.before !== null && row.before.standing !== -1
    if (request.ownSource !== null && wasListed) continue
    ids.push(row.id)
    isListedPage ||= request.ownSource === null
  }
  if (ids.length === 0) return
  const key = topicKey(topic)
  // Read under the lock of topics, which a call that names the topic takes to clear it.
  const fromExpansion =
    unownedJobId === undefined
      ? sql`false`
      : sql`exists (select from scrape_jobs where id = ${unownedJobId}::uuid and from_expansion)`
  await sql`
    insert into topics (key, name, created_at, collected_at, from_expansion)
    values (${key}, ${topic}, ${now}, ${now}, ${fromExpansion})
    on conflict (key) do update
      set name = excluded.name, created_at = excluded.created_at, from_expansion = excluded.from_expansion
    where ${isListedPage} and not ${isListedTopic}
      and (topics.name, topics.from_expansion) is distinct from (excluded.name, excluded.from_expansion)`.execute(
    transaction,
  )
  await sql`
    insert into request_topics (request_id, topic_key, found_at, platform, posted_at, votes, tags, standing)
    select id, ${key}, ${now}, platform, posted_at, votes, tags, standing from requests where id = any(${ids}::uuid[])
    on conflict do nothing`.execute(transaction)
}
