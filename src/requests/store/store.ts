import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import { findSuppressed } from '../purge/suppression.ts'
import { searchTextOf } from '../search/text.ts'
import { type ChangedText, updateVocabulary } from '../search/vocabulary.ts'

/** A page made ready to be stored: each request once, in the order of their keys, with the text that it is found by. */
export interface PreparedPage {
  requests: { request: FoundRequest; text: string }[]
  /** Known requests that did not change but were last refreshed before this are marked as seen; null for none. */
  markSeenBefore: Date | null
}

export interface FoundPage extends PreparedPage {
  platform: PlatformName
  /** Null for a live collection: nobody can ask for what it found. */
  jobId: string | null
  topic: string
  now: Date
}

/**
 * Does what of storing needs no database, before its transaction begins. A text can take milliseconds to normalise, so the
 * event loop gets its turn between two of them.
 */
export async function preparePage(
  requests: readonly FoundRequest[],
  markSeenBefore: Date | null = null,
): Promise<PreparedPage> {
  // A later mention on the same page wins: one statement may not touch a row twice.
  const distinct = [...new Map(requests.map((request) => [request.sourceId, request])).values()]
  // In the order of their keys, so that two transactions that meet on the same requests cannot deadlock.
  distinct.sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  const prepared: PreparedPage = { requests: [], markSeenBefore }
  const pause = createPauses()
  for (const request of distinct) {
    prepared.requests.push({ request, text: searchTextOf(request) })
    await pause()
  }
  return prepared
}

/** A count as the column holds it: a number that a platform makes up must not fail the whole page. */
const toInteger = (count: number) => Math.trunc(Math.min(Math.max(count || 0, -2_147_483_648), 2_147_483_647))

const dayMs = 86_400_000

/** A platform's date, or null for one that cannot be true: before 1970 or later than tomorrow. */
const toPastDate = (date: Date | null, now: Date) =>
  date !== null && date.getTime() >= 0 && date.getTime() <= now.getTime() + dayMs ? date : null

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

/** @returns how many of the requests were new. */
async function upsertRequests(
  transaction: Transaction,
  { platform, topic, now, markSeenBefore, requests }: FoundPage,
): Promise<number> {
  const incoming = JSON.stringify(
    requests.map(({ request }) => ({
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
  const changed = sql`(${known}) is distinct from (${excluded})`
  const dueToBeMarked =
    markSeenBefore === null
      ? sql`false`
      : sql`greatest(requests.updated_at, requests.seen_at) < ${markSeenBefore}::timestamptz`
  // xmax is 0 only in a row version that this statement inserted.
  const { rows } = await sql<{ created: number }>`
    with incoming as materialized (
      select * from jsonb_to_recordset(${incoming}::jsonb) as incoming (
        source_id text, title text, description text, votes integer, tags text[], comment_count integer,
        source_url text, author_name text, author_handle text, author_profile_url text, license text,
        original_created_at timestamptz)
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

/** Writes the searched texts of the page that are new or have changed, and no others. @returns those, with what they were. */
async function upsertTexts(
  transaction: Transaction,
  { requests }: FoundPage,
  idOf: ReadonlyMap<string, string>,
): Promise<ChangedText[]> {
  const textOf = new Map<string, string>()
  for (const { request, text } of requests) {
    const id = idOf.get(request.sourceId)
    if (id !== undefined) textOf.set(id, text)
  }
  const texts = JSON.stringify([...textOf].map(([request_id, text]) => ({ request_id, text })))
  // A text is written by whoever has locked its request, so the one that this statement sees is the one that it replaces.
  const { rows } = await sql<{ id: string; before: string | null }>`
    with incoming as materialized (
      select * from jsonb_to_recordset(${texts}::jsonb) as incoming (request_id uuid, text text)
    ), changed as materialized (
      select request_id, incoming.text, known.text as before
      from incoming left join request_texts as known using (request_id)
      where known.text is distinct from incoming.text
    ), written as (
      insert into request_texts (request_id, text) select request_id, text from changed
      on conflict (request_id) do update set text = excluded.text
    )
    select request_id as id, before from changed`.execute(transaction)
  return rows.map(({ id, before }) => ({ before, after: textOf.get(id) ?? null }))
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
