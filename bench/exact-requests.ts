import { sql } from 'kysely'
import type { Database } from '../src/database/open.ts'
import { searchTextOf } from '../src/requests/words/text.ts'
import { followNewRequests } from '../test/stored-requests.ts'
import { type Corpus, createRandom } from './engines/corpus.ts'

const batchSize = 500
const platforms = ['github', 'gitlab', 'stackexchange', 'hackernews', 'reddit']
const statuses = [null, null, 'open', 'planned', 'completed', 'closed']
const firstPosted = Date.UTC(2016, 0, 1)
const postedSpan = 10 * 365 * 86_400_000

/** Requests with texts of the corpus, and with votes, dates, tags and classes that have nothing to do with them. */
function makeRows(corpus: Corpus, numbers: readonly number[], random: () => number) {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
  return numbers.map((number) => {
    const { id: source_id, title, description, topic } = corpus.document(number)
    const likelihood = random()
    return {
      id: crypto.randomUUID(),
      source_id,
      platform: pick(platforms),
      title: title.slice(0, 300),
      description: description.slice(0, 3_000),
      // Few have many.
      votes: Math.floor(3 / (random() + 0.0005)) - 3,
      tags: random() < 0.3 ? [`tag${Math.floor(random() * 40)}`] : [],
      topic,
      posted: new Date(firstPosted + Math.floor(random() * postedSpan)).toISOString(),
      standing: likelihood < 0.6 ? 2 : likelihood < 0.7 ? 1 : 0,
      status: pick(statuses),
      text: searchTextOf({ title, description, tags: [], authorName: null, authorHandle: null }),
    }
  })
}

/** Stores so many requests as they are, without topics' counts and vocabulary, which exact orders do not read. */
export async function storeRequests(database: Database, corpus: Corpus, size: number): Promise<void> {
  const random = createRandom(3)
  const numbers = Array.from({ length: size }, (_, number) => number)
  for (let start = 0; start < size; start += batchSize) {
    const rows = makeRows(corpus, numbers.slice(start, Math.min(size, start + batchSize)), random)
    await sql`
      with incoming as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(rows).replaceAll('\\u0000', '')}::jsonb) as incoming (id uuid,
          source_id text, platform text, title text, description text, votes integer, tags text[], topic text,
          posted timestamptz, standing smallint, status text, text text)
      ), stored as (
        insert into requests (confidence, id, platform, source_id, title, description, votes, tags, source_url, topic, created_at,
          updated_at, original_created_at, standing, status)
        select 1, id, platform, source_id, title, description, votes, tags, '', topic, now(), now(), posted, standing, status
        from incoming
      )
      insert into request_texts (request_id, text) select id, text from incoming`.execute(database)
    await followNewRequests(
      database,
      rows.map(({ id }) => id),
    )
  }
  await sql`vacuum analyze`.execute(database)
}
