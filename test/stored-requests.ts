import { type RawBuilder, sql } from 'kysely'
import type { Database, Executor, Transaction } from '../src/database/open.ts'
import { noteSearchChanges } from '../src/requests/store/changes.ts'
import { followTexts, insertFacets, refreshCopies } from '../src/requests/store/copies.ts'
import { deleteDerived } from '../src/requests/store/delete.ts'
import { linkRequests } from '../src/requests/store/topic-links.ts'
import { queuePlacing } from '../src/requests/wish-numbers/recount.ts'
import { changeWishes } from './stored-wish.ts'

/** Gives new rows of `requests`, and their texts, what the store gives them: copies, words to search by, and a place in the queue. */
export async function followNewRequests(executor: Executor, ids: readonly string[]): Promise<void> {
  const transaction = executor as Transaction
  await insertFacets(sql`(select * from requests where id = any(${[...ids]}::uuid[])) as fresh`).execute(transaction)
  const { rows } = await sql<{ id: string }>`
    select request_id as id from request_texts where request_id = any(${[...ids]}::uuid[])`.execute(transaction)
  await followTexts(transaction, { created: rows.map(({ id }) => id), changed: [] })
}

/** Links stored requests to topics, which it makes; `topicOf` has the topic of each request. */
export async function linkToTopics(executor: Executor, topicOf: ReadonlyMap<string, string>): Promise<void> {
  for (const [topic, links] of Map.groupBy(topicOf, ([, name]) => name)) {
    await sql`insert into topics (key, name, created_at) values (${topic}, ${topic}, now()) on conflict do nothing`.execute(
      executor,
    )
    await linkRequests(executor as Transaction, { key: topic, ids: links.map(([id]) => id), now: new Date() })
  }
}

interface Stored {
  /** By the id of the request: its text, whether it is likely, and how accounts see it. */
  texts: Map<string, string>
  requests: Map<string, boolean>
  views: Map<string, string>
  links: unknown[]
}

async function readStored(transaction: Transaction): Promise<Stored> {
  const { rows: texts } = await sql<{ id: string; text: string }>`
    select request_id as id, md5(text) as text from request_texts`.execute(transaction)
  const { rows: requests } = await sql<{ id: string; is_likely: boolean }>`
    select id, standing = 2 as is_likely from requests`.execute(transaction)
  const { rows: views } = await sql<{ id: string; views: string }>`
    select request_id as id, string_agg(account_id || ' ' || standing, ',' order by account_id) as views
    from account_requests group by 1`.execute(transaction)
  const { rows: links } = await sql<{
    link: unknown
  }>`select to_json(request_topics) as link from request_topics`.execute(transaction)
  return {
    texts: new Map(texts.map(({ id, text }) => [id, text])),
    requests: new Map(requests.map(({ id, is_likely }) => [id, is_likely])),
    views: new Map(views.map((row) => [row.id, row.views])),
    links: links.map(({ link }) => link),
  }
}

const linksOf = (links: unknown[]) => sql`array(
  select link from jsonb_populate_recordset(null::request_topics, ${JSON.stringify(links)}::jsonb) as link)`

async function follow(transaction: Transaction, before: Stored): Promise<void> {
  const after = await readStored(transaction)
  const gone = [...before.requests.keys()].filter((id) => !after.requests.has(id))
  await sql`delete from request_texts where request_id = any(${gone}::uuid[])`.execute(transaction)
  if (gone.length > 0) await deleteDerived(transaction, gone)
  await sql`select note_topic_changes(${linksOf(before.links)}, ${linksOf(after.links)})`.execute(transaction)
  const fresh = [...after.requests.keys()].filter((id) => !before.requests.has(id))
  await insertFacets(sql`(select * from requests where id = any(${fresh}::uuid[])) as fresh`).execute(transaction)
  const written = [...after.texts].filter(([id, text]) => before.texts.get(id) !== text).map(([id]) => id)
  await followTexts(transaction, {
    created: written.filter((id) => !before.texts.has(id)),
    changed: written.filter((id) => before.texts.has(id)),
  })
  await refreshCopies(transaction, [...after.requests.keys()])
  const seen = [...new Set([...before.views.keys(), ...after.views.keys()])]
  const views = seen.filter((id) => before.views.get(id) !== after.views.get(id))
  const likely = [...after.requests].filter(([id, is]) => is && before.requests.get(id) === false).map(([id]) => id)
  await queuePlacing(transaction, [...new Set([...likely, ...views])])
  const { rows: linked } = await sql<{ id: string }>`
    select request_id as id from (
      (select link.request_id, link.topic_key from unnest(${linksOf(before.links)}) as link
        except select request_id, topic_key from request_topics)
      union all
      (select request_id, topic_key from request_topics
        except select link.request_id, link.topic_key from unnest(${linksOf(before.links)}) as link)
    ) as changed`.execute(transaction)
  await noteSearchChanges(transaction, [...new Set([...views, ...linked.map(({ id }) => id)])])
}

/**
 * Changes rows of requests, their texts, links and views as a test needs them, and then all that the store derives from them. It reads all
 * rows, before and after.
 */
export const changeRequests = (
  database: Database,
  ...changes: (RawBuilder<unknown> | ((transaction: Transaction) => Promise<unknown>))[]
): Promise<void> =>
  changeWishes(database, async (transaction) => {
    const before = await readStored(transaction)
    for (const change of changes) {
      if (typeof change === 'function') await change(transaction)
      else await change.execute(transaction)
    }
    await follow(transaction, before)
  })
