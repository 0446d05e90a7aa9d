import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { createExpansion, type Expansion } from '../src/collecting/expansion/expansion.ts'
import type { Database } from '../src/database/open.ts'
import { plainText, plainTitle } from '../src/platforms/content/text.ts'
import { searchTextOf } from '../src/requests/words/text.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { plainQuery } from '../src/search/query.ts'
import { openSearchIndex, type SearchIndex } from '../src/search/search-index.ts'
import { followNewRequests } from '../test/stored-requests.ts'
import { openBenchDatabase } from './bench-database.ts'
import { corpora, type Post, readJudged, readRedditPosts, readTitaniumIssues } from './expansion-corpora.ts'

// The built-in expansion of real texts: the topics of 30 queries, to be judged by a reader, and how many of the
// judged documents they add to those among the best 100 of the query itself.
//   node bench/expansion.ts [--only titanium|reddit] [--posts 33000]

const redditQueries = [
  'mechanical keyboard',
  'learning guitar',
  'budget gaming pc',
  'job interview',
  'weight loss plateau',
  'android battery life',
  'first time home buyer',
  'anxiety medication',
  'minecraft server lag',
  'league of legends jungle',
  'bitcoin mining',
  'sleep schedule',
  'moving abroad',
  'wedding budget',
  'raspberry pi project',
]

/** The corpora name no authors: every text counts as another person's. */
async function store(database: Database, posts: readonly Post[]): Promise<void> {
  for (let start = 0; start < posts.length; start += 1_000) {
    const rows = posts.slice(start, start + 1_000).map(({ sourceId, ...post }) => {
      const title = plainTitle(post.title)
      const description = plainText(post.description)
      const text = searchTextOf({ title, description, tags: [], authorName: null, authorHandle: null })
      return { id: crypto.randomUUID(), source_id: sourceId, title, description, text }
    })
    await sql`
      with incoming as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as incoming (id uuid, source_id text, title text, description text, text text)
      ), stored as (
        insert into requests (confidence, id, platform, source_id, title, description, votes, tags, source_url, author_handle, topic,
          created_at, updated_at)
        select 1, id, 'github', source_id, title, description, 0, '{}', '', source_id, '', now(), now() from incoming
      )
      insert into request_texts (request_id, text) select id, text from incoming`.execute(database)
    await followNewRequests(
      database,
      rows.map(({ id }) => id),
    )
  }
}

async function printTopics(expansion: Expansion, name: string, queries: readonly string[]): Promise<void> {
  console.log(`\n${name}: the topics of ${queries.length} queries`)
  for (const query of queries) {
    const start = performance.now()
    const [, ...topics] = await expansion.topicsFor(query, new AbortController().signal)
    const ms = (performance.now() - start).toFixed(0).padStart(5)
    console.log(`${ms} ms  ${query}\n          ${topics.length > 0 ? topics.join(' · ') : '(the query alone)'}`)
  }
}

/** How many judged documents are among the best 100 of the query, and of the query or any of its topics. */
async function printRecall(database: Database, index: SearchIndex, expansion: Expansion): Promise<void> {
  const rows = await database.selectFrom('requests').select(['id', 'source_id']).execute()
  const sourceIds = new Map(rows.map((row) => [row.id, row.source_id]))
  const best = async (query: string) => {
    const { results } = await index.search(database, { query: plainQuery(query), offset: 0, limit: 100 })
    return results.map(({ _id }) => sourceIds.get(_id))
  }
  const counts = { judged: 0, byQuery: 0, byTopics: 0, topics: 0, alone: 0 }
  const queries = readJudged()
  for (const { text, relevant } of queries) {
    const topics = (await expansion.topicsFor(text, new AbortController().signal)).slice(1)
    const byQuery = new Set(await best(text))
    const byTopics = new Set([...byQuery, ...(await Promise.all(topics.map(best))).flat()])
    counts.topics += topics.length
    counts.alone += topics.length === 0 ? 1 : 0
    for (const document of relevant) {
      counts.judged += 1
      counts.byQuery += byQuery.has(document) ? 1 : 0
      counts.byTopics += byTopics.has(document) ? 1 : 0
      if (byTopics.has(document) && !byQuery.has(document))
        console.log(`added ${document}: ${text} · ${topics.join(' · ')}`)
    }
  }
  const { judged: total, byQuery, byTopics, topics, alone } = counts
  console.log(
    `recall@100 of ${queries.length} judged queries: ${byQuery} of ${total} by the query, ${byTopics} with its topics`,
  )
  console.log(`${topics} topics beside the queries; ${alone} queries stay alone`)
}

interface Corpus {
  posts: () => Post[]
  run: (database: Database, index: SearchIndex, expansion: Expansion) => Promise<void>
}

const corpusNamed = (name: 'titanium' | 'reddit', maxPosts: number): Corpus => {
  if (name === 'reddit') {
    return {
      posts: () => readRedditPosts(maxPosts),
      run: (_database, _index, expansion) => printTopics(expansion, 'Reddit posts', redditQueries),
    }
  }
  return {
    posts: readTitaniumIssues,
    run: async (database, index, expansion) => {
      const texts = readJudged().map(({ text }) => text)
      const every10th = texts.filter((_text, position) => position % 10 === 3).slice(0, 15)
      await printTopics(expansion, 'Titanium issues', every10th)
      await printRecall(database, index, expansion)
    },
  }
}

async function bench(name: 'titanium' | 'reddit', maxPosts: number): Promise<void> {
  const { database, close } = await openBenchDatabase()
  try {
    const searchIndex = await openSearchIndex(database)
    const corpus = corpusNamed(name, maxPosts)
    const posts = corpus.posts()
    console.log(`${name}: storing ${posts.length} texts`)
    await store(database, posts)
    const log = { warn: console.warn }
    const config = { model: null }
    const expansion = createExpansion({ database, searchIndex, clock: systemClock, log, config })
    await corpus.run(database, searchIndex, expansion)
  } finally {
    await close()
  }
}

const { values } = parseArgs({ options: { only: { type: 'string' }, posts: { type: 'string', default: '33000' } } })
if (!existsSync(corpora)) console.error(`skipped: the corpora are not at ${corpora}`)
else {
  for (const name of ['titanium', 'reddit'] as const) {
    if (values.only === undefined || values.only === name) await bench(name, Number(values.posts))
  }
}
