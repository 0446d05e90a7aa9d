import { sql } from 'kysely'
import type { Transaction } from '../database/open.ts'
import type { FoundRequest, PlatformName } from '../platforms/platform.ts'
import { searchTextOf } from './search-text.ts'
import { topicKey } from './topic.ts'

export interface FoundPage {
  platform: PlatformName
  jobId: string
  topic: string
  requests: FoundRequest[]
  now: Date
}

interface StoredRequest {
  id: string
  source_id: string
  created: boolean
}

/** A later mention on the same page wins: one statement may not touch a row twice. */
const distinct = (requests: FoundRequest[]) => [
  ...new Map(requests.map((request) => [request.sourceId, request])).values(),
]

/** A count as the column holds it: a number that a platform makes up must not fail the whole page. */
const toInteger = (count: number) => Math.trunc(Math.min(Math.max(count || 0, -2_147_483_648), 2_147_483_647))

const dayMs = 86_400_000

/** A platform's date, or null for one that cannot be true: before 1970 or later than tomorrow. */
const toPastDate = (date: Date | null, now: Date) =>
  date !== null && date.getTime() >= 0 && date.getTime() <= now.getTime() + dayMs ? date : null

/**
 * Stores the requests that a page found, inside the transaction of the page.
 * @returns how many different requests the page held, and how many of them were new to the cache.
 */
export async function storePage(
  transaction: Transaction,
  page: FoundPage,
): Promise<{ found: number; created: number }> {
  // In the order of their keys, so that two transactions that meet on the same requests cannot deadlock.
  const requests = distinct(page.requests).sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  if (requests.length === 0) return { found: 0, created: 0 }
  const stored = await upsertRequests(transaction, page, requests)
  await upsertTexts(transaction, requests, stored)
  await linkToTopicAndJob(transaction, page, stored)
  return { found: stored.length, created: stored.filter((request) => request.created).length }
}

/** The columns that a refresh may change. */
const refreshed = [
  'title',
  'description',
  'votes',
  'tags',
  'comment_count',
  'source_url',
  'author_name',
  'author_handle',
  'author_profile_url',
  'license',
  'original_created_at',
] as const

async function upsertRequests(
  transaction: Transaction,
  { platform, topic, now }: FoundPage,
  requests: FoundRequest[],
): Promise<StoredRequest[]> {
  const incoming = JSON.stringify(
    requests.map((request) => ({
      source_id: request.sourceId,
      title: request.title,
      description: request.description,
      votes: toInteger(request.votes),
      tags: request.tags,
      comment_count: request.commentCount === null ? null : toInteger(request.commentCount),
      source_url: request.sourceUrl,
      author_name: request.authorName,
      author_handle: request.authorHandle,
      author_profile_url: request.authorProfileUrl,
      license: request.license,
      original_created_at: toPastDate(request.originalCreatedAt, now),
    })),
  )
  const columns = sql.join(refreshed.map((column) => sql.ref(column)))
  const known = sql.join(refreshed.map((column) => sql.ref(`requests.${column}`)))
  const excluded = sql.join(refreshed.map((column) => sql.ref(`excluded.${column}`)))
  const assignments = sql.join(refreshed.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`))
  // xmax is 0 only in a row version that this statement inserted.
  const { rows } = await sql<StoredRequest>`
    with incoming as materialized (
      select * from jsonb_to_recordset(${incoming}::jsonb) as incoming (
        source_id text, title text, description text, votes integer, tags text[], comment_count integer,
        source_url text, author_name text, author_handle text, author_profile_url text, license text,
        original_created_at timestamptz)
    ), written as (
      insert into requests (platform, source_id, ${columns}, topic, created_at, updated_at)
      select ${platform}, source_id, ${columns}, ${topic}, ${now}, ${now} from incoming order by source_id
      on conflict (platform, source_id) do update set ${assignments}, updated_at = excluded.updated_at
      where (${known}) is distinct from (${excluded})
      returning id, source_id, (xmax = 0) as created
    )
    select id, source_id, created from written
    union all
    select requests.id, requests.source_id, false from requests join incoming using (source_id)
    where requests.platform = ${platform}
      and not exists (select from written where written.source_id = requests.source_id)`.execute(transaction)
  return rows
}

/** Writes the searched texts of the page that are new or have changed, and no others. */
async function upsertTexts(transaction: Transaction, requests: FoundRequest[], stored: StoredRequest[]): Promise<void> {
  const idOf = new Map(stored.map(({ id, source_id }) => [source_id, id]))
  const texts = JSON.stringify(
    requests.map((request) => ({ request_id: idOf.get(request.sourceId), text: searchTextOf(request) })),
  )
  await sql`
    insert into request_texts (request_id, text)
    select request_id, text from jsonb_to_recordset(${texts}::jsonb) as incoming (request_id uuid, text text)
    on conflict (request_id) do update set text = excluded.text
    where request_texts.text is distinct from excluded.text`.execute(transaction)
}

async function linkToTopicAndJob(
  transaction: Transaction,
  { topic, jobId, now }: FoundPage,
  stored: StoredRequest[],
): Promise<void> {
  const key = topicKey(topic)
  await transaction
    .insertInto('topics')
    .values({ key, name: topic, created_at: now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const ids = stored.map((request) => request.id)
  await sql`
    insert into request_topics (request_id, topic_key, found_at)
    select id, ${key}, ${now} from unnest(${ids}::uuid[]) as id on conflict do nothing`.execute(transaction)
  await sql`
    insert into scrape_job_requests (job_id, request_id)
    select ${jobId}, id from unnest(${ids}::uuid[]) as id on conflict do nothing`.execute(transaction)
}
