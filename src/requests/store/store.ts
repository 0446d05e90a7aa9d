import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import { findSuppressed } from '../purge/suppression.ts'
import { updateVocabulary } from '../search/vocabulary.ts'
import type { FoundPage } from './prepared-page.ts'
import { refreshed, refreshedValues } from './refreshed-columns.ts'
import { upsertTexts } from './texts.ts'

/**
 * Stores the requests that a page found, inside the transaction of the page; those that are suppressed are left out.
 * @returns how many different requests of the page are stored now, and how many of them were new to the cache.
 */
export async function storePage(
  transaction: Transaction,
  found: FoundPage,
): Promise<{ found: number; created: number }> {
  const identified = found.requests.map(({ request }) => request)
  const suppressed = identified.length === 0 ? new Set() : await findSuppressed(transaction, found.platform, identified)
  // Also for an empty page: that it was collected is noted with its topic, in the same transaction.
  await takeLock(transaction, 'topics')
  const page = { ...found, requests: found.requests.filter(({ request }) => !suppressed.has(request.sourceId)) }
  if (page.requests.length === 0) return { found: 0, created: 0 }
  const created = await upsertRequests(transaction, page)
  const idOf = await readIds(transaction, page)
  const changedTexts = await upsertTexts(transaction, page, idOf)
  await linkToTopicAndJob(transaction, page, [...idOf.values()])
  // Last: other pages wait for these rows, which are many, until this transaction ends.
  await updateVocabulary(transaction, changedTexts)
  return { found: idOf.size, created }
}

/** @returns how many of the requests were new. */
async function upsertRequests(
  transaction: Transaction,
  { platform, topic, now, markSeenBefore, requests }: FoundPage,
): Promise<number> {
  const incoming = JSON.stringify(
    requests.map(({ request }) => ({ source_id: request.sourceId, ...refreshedValues(request, now) })),
  )
  const { columns, definitions, known, excluded, assignments } = refreshed
  const changed = sql`(${known}) is distinct from (${excluded})`
  const dueToBeMarked =
    markSeenBefore === null
      ? sql`false`
      : sql`greatest(requests.updated_at, requests.seen_at) < ${markSeenBefore}::timestamptz`
  // xmax is 0 only in a row version that this statement inserted.
  const { rows } = await sql<{ created: number }>`
    with incoming as materialized (
      select * from jsonb_to_recordset(${incoming}::jsonb) as incoming (source_id text, ${definitions})
    ), written as (
      insert into requests (platform, source_id, ${columns}, topic, created_at, updated_at)
      select ${platform}, source_id, ${columns}, coalesce((select name from topics where key = ${topicKey(topic)}), ${topic}),
        ${now}, ${now} from incoming order by source_id
      on conflict (platform, source_id) do update set ${assignments},
        updated_at = case when ${changed} then excluded.updated_at else requests.updated_at end,
        seen_at = excluded.updated_at
      where ${changed} or ${dueToBeMarked}
      returning (xmax = 0) as created
    )
    select count(*) filter (where created) as created from written`.execute(transaction)
  return Number(rows[0]?.created ?? 0)
}

/**
 * The ids of the page's requests, new and known. A statement of its own, for a fresh snapshot: a row that another transaction
 * committed while the upsert waited for it is not in the snapshot of the upsert.
 */
async function readIds(transaction: Transaction, { platform, requests }: FoundPage): Promise<Map<string, string>> {
  const sourceIds = requests.map(({ request }) => request.sourceId)
  const { rows } = await sql<{ id: string; source_id: string }>`
    select id, source_id from requests where platform = ${platform} and source_id = any(${sourceIds}::text[])`.execute(
    transaction,
  )
  return new Map(rows.map((row) => [row.source_id, row.id]))
}

async function linkToTopicAndJob(
  transaction: Transaction,
  { topic, jobId, now }: FoundPage,
  ids: string[],
): Promise<void> {
  const key = topicKey(topic)
  await transaction
    .insertInto('topics')
    .values({ key, name: topic, created_at: now, collected_at: now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  await sql`
    insert into request_topics (request_id, topic_key, found_at, platform, posted_at, votes, tags)
    select id, ${key}, ${now}, platform, posted_at, votes, tags from requests where id = any(${ids}::uuid[])
    on conflict do nothing`.execute(transaction)
  if (jobId === null) return
  await sql`
    insert into scrape_job_requests (job_id, request_id)
    select ${jobId}, id from unnest(${ids}::uuid[]) as id on conflict do nothing`.execute(transaction)
}
