import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import { insertSearchChanges } from './changes.ts'
import type { FoundPage } from './prepared-page.ts'
import { isListedTopic, topicName } from './topic-counts.ts'
import type { StoredRequest } from './upsert.ts'

interface NewTopic {
  key: string
  topic: string
  unownedJobId: string | undefined
  now: Date
  isListedPage: boolean
  created: readonly string[]
}

/** Whether only an expansion suggested the topic. Locks the job before the topic, like its pages, against deadlocks. */
async function isFromExpansion(transaction: Transaction, unownedJobId: string | undefined): Promise<boolean> {
  if (unownedJobId === undefined) return false
  const { rows } = await sql<{ from_expansion: boolean }>`
    select from_expansion from scrape_jobs where id = ${unownedJobId}::uuid for no key update`.execute(transaction)
  return rows[0]?.from_expansion ?? false
}

/** Stores a new topic, or respells an unlisted one. Locks no other topic: pages would wait for each other. */
async function ensureTopic(transaction: Transaction, page: NewTopic): Promise<void> {
  const { key, topic, unownedJobId, isListedPage, created } = page
  const { rows } = await sql<{ name: string; from_expansion: boolean; is_listed: boolean }>`
    select name, from_expansion, ${isListedTopic} as is_listed from topics where key = ${key}`.execute(transaction)
  const [known] = rows
  if (known === undefined || (isListedPage && !known.is_listed)) {
    const fromExpansion = await isFromExpansion(transaction, unownedJobId)
    if (known?.name === topic && known.from_expansion === fromExpansion) return
    await spellTopic(transaction, page, fromExpansion)
  } else if (known.name === topic) return
  // They were stored in this page's spelling even if another page has listed the topic since.
  await sql`
    update requests set topic = ${topicName(topic)}
    where id = any(${[...created]}::uuid[]) and topic <> ${topicName(topic)}`.execute(transaction)
}

async function spellTopic(
  transaction: Transaction,
  { key, topic, now, isListedPage }: NewTopic,
  fromExpansion: boolean,
): Promise<void> {
  await sql`
    insert into topics (key, name, created_at, collected_at, from_expansion)
    values (${key}, ${topic}, ${now}, ${now}, ${fromExpansion}) on conflict do nothing`.execute(transaction)
  await sql`select from topics where key = ${key} for no key update`.execute(transaction)
  // A separate statement, to see whether a page we waited for has listed the topic.
  await sql`
    update topics set name = ${topic}, created_at = ${now}, from_expansion = ${fromExpansion}
    where key = ${key} and ${isListedPage} and not ${isListedTopic}
      and (name, from_expansion) is distinct from (${topic}, ${fromExpansion}::boolean)`.execute(transaction)
}

/** Links on-topic requests, except listed ones from an account's source: topics must not reveal what it collects. */
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
  const created = [...stored.values()].filter((row) => row.created).map(({ id }) => id)
  await ensureTopic(transaction, { key, topic, unownedJobId, now, isListedPage, created })
  await linkRequests(transaction, { key, ids, now })
}

/** Links requests to a stored topic and counts the newly linked. Their locks must be held. */
export async function linkRequests(
  transaction: Transaction,
  { key, ids, now }: { key: string; ids: readonly string[]; now: Date },
): Promise<void> {
  await sql`
    with linked as (
      insert into request_topics (request_id, topic_key, found_at, platform, posted_at, votes, tags, standing)
      select id, ${key}, ${now}, platform, posted_at, votes, tags, standing from requests where id = any(${[...ids]}::uuid[])
      on conflict do nothing returning request_topics as link
    ), noted as (
      ${insertSearchChanges(sql`select (link).request_id from linked`)}
    )
    select note_topic_changes('{}', array(select link from linked))`.execute(transaction)
}

/** Unlinks requests from the topics that have no other listed requests. Their locks must be held. */
export async function unlinkUnlisted(transaction: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    with unlinked as (
      delete from request_topics using topics
      where request_id = any(${[...ids]}::uuid[]) and topics.key = topic_key and not ${isListedTopic}
      returning request_topics as link
    ), noted as (
      ${insertSearchChanges(sql`select (link).request_id from unlinked`)}
    )
    select note_topic_changes(array(select link from unlinked), '{}')`.execute(transaction)
}
