import { sql } from 'kysely'
import { followNewRequests, linkToTopics } from '../../test/stored-requests.ts'
import type { Database, Executor } from '../database/open.ts'
import { platformNames } from '../platforms/registry.ts'
import { vocabularyOf } from '../requests/words/vocabulary.ts'
import type { SearchIndex, SearchInput } from './search-index.ts'

// Rows for the tests of the search index.

export interface Row {
  text: string
  platform: string
  topic: string
}

/** Equally new, whichever batch they are stored in. */
const createdAt = new Date('2026-01-01')

/** Every word is one that the stemmer leaves alone, or comes in one form only. */
export function syntheticRow(number: number): Row {
  const words = [
    'everywhere',
    number % 3 === 0 ? 'minority' : 'majority',
    `group${number % 10}`,
    `row${number}`,
    ...Array<string>(number % 7).fill('filler'),
    ...(number === 2 ? ['needle'] : []),
    ...(number === 1 ? ['to', 'be', 'or', 'not'] : []),
  ]
  return { text: words.join(' '), platform: platformNames[number % 3]!, topic: `topic${number % 4}` }
}

async function storeBatch(transaction: Executor, batch: readonly (Row & { id: string })[]): Promise<void> {
  await sql`
    with incoming as (
      select * from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
        as incoming (id uuid, text text, platform text, topic text)
    ), stored as (
      insert into requests
        (id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at, confidence)
      select id, platform, id::text, '', '', 0, '{}', '', topic, ${createdAt}::timestamptz, now(), 1 from incoming
    )
    insert into request_texts (request_id, text) select id, text from incoming`.execute(transaction)
  await followNewRequests(
    transaction,
    batch.map(({ id }) => id),
  )
  await linkToTopics(transaction, new Map(batch.map(({ id, topic }) => [id, topic])))
}

/** Stores the rows, each batch in one transaction; gives their ids in the order of the rows. */
export async function store(executor: Executor, rows: readonly Row[]): Promise<string[]> {
  const ids: string[] = []
  for (let start = 0; start < rows.length; start += 5_000) {
    const batch = rows.slice(start, start + 5_000).map((row) => ({ ...row, id: crypto.randomUUID() }))
    if (executor.isTransaction) await storeBatch(executor, batch)
    else await executor.transaction().execute((transaction) => storeBatch(transaction, batch))
    ids.push(...batch.map((row) => row.id))
  }
  return ids
}

/** What a search finds, by the ids alone. */
export async function findIds(index: SearchIndex, executor: Executor, input: Partial<SearchInput> & { query: string }) {
  const { results, more, window } = await index.search(executor, { offset: 0, limit: 100, ...input })
  return { ids: results.map((result) => result._id), more, window }
}

/** The vocabulary as it is, and as the texts of the listed requests would be counted now; `left` of them are not counted yet. */
export async function vocabularyCounts(database: Database) {
  const { words, uncounted, texts } = await database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (open) => ({
      words: await sql<{ word: string; requests: number }>`
        select word, sum(requests)::integer as requests from (
          select word, requests from search_words union all select word, change from word_deltas) as counts
        group by word having sum(requests) <> 0`.execute(open),
      uncounted: await open.selectFrom('uncounted_texts').select('request_id').execute(),
      texts: await open
        .selectFrom('request_texts')
        .innerJoin('requests', 'requests.id', 'request_id')
        .where('standing', '>=', 0)
        .select(['request_id', 'text'])
        .execute(),
    }))
  const left = new Set(uncounted.map(({ request_id }) => request_id))
  const counted = new Map<string, number>()
  for (const { request_id, text } of texts) {
    if (left.has(request_id)) continue
    for (const word of vocabularyOf(text)) counted.set(word, (counted.get(word) ?? 0) + 1)
  }
  return { stored: new Map(words.rows.map(({ word, requests }) => [word, requests])), counted, left: left.size }
}
