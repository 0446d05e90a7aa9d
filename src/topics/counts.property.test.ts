import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../test/campaign-size.ts'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { foundRequest } from '../../test/scripted-platform.ts'
import type { PlatformName } from '../database/column-types.ts'
import { purgeRequests } from '../requests/purge/purge.ts'
import { preparePage } from '../requests/store/prepared-page.ts'
import { deleteExpiredRequests } from '../requests/store/retention.ts'
import { storePage } from '../requests/store/store.ts'
import { sharedView } from '../requests/views/view.ts'
import { listTopics } from './topics.ts'
import { findWrongCounts } from './verify.ts'

// Requests are stored, refreshed, purged and expire in any order, also at the same time: the counts of topics stay right.
// TEST_SEED repeats a run, COUNTS_RUNS=1000 makes it a long one.

const runs = campaignSize('COUNTS_RUNS', { quick: 10, long: 300 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const start = Date.UTC(2026, 5, 1)
const dayMs = 86_400_000

let opened: TestDatabase
let jobId: string
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

const platform = fc.constantFrom<PlatformName>('github', 'hackernews')
const found = fc.record({
  sourceId: fc.nat(11).map(String),
  votes: fc.constantFrom(-3, 0, 1, 7, 2_147_483_647),
  tags: fc.array(fc.constantFrom('bug', 'Bug', 'ui', '日本', "it's"), { maxLength: 4 }),
  posted: fc.option(fc.nat(3)),
  author: fc.constantFrom('ada', 'bob'),
})
type Found = typeof found extends fc.Arbitrary<infer T> ? T : never
type Step =
  | { do: 'store'; platform: PlatformName; topic: string; day: number; requests: Found[] }
  | { do: 'purge author'; author: string; suppress: boolean }
  | { do: 'purge platform'; platform: PlatformName }
  | { do: 'expire'; day: number }
  | { do: 'delete in SQL'; sourceId: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      platform,
      day: fc.nat(3),
      topic: fc.constantFrom('Dark mode', 'dark  MODE', 'export', 'sync'),
      requests: fc.array(found, { maxLength: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('purge author' as const),
      author: fc.constantFrom('@ada', '@bob'),
      suppress: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge platform' as const), platform }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const), day: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete in SQL' as const), sourceId: fc.nat(11).map(String) }) },
)

async function run(made: Step): Promise<unknown> {
  const { database } = opened
  if (made.do === 'store') {
    const now = new Date(start + made.day * dayMs)
    const requests = made.requests.map(({ sourceId, posted, author, ...rest }) =>
      foundRequest(sourceId, {
        ...rest,
        authorHandle: author,
        originalCreatedAt: posted === null ? null : new Date(start - posted * 20 * dayMs),
      }),
    )
    const prepared = await preparePage(requests, null)
    const page = { platform: made.platform, topic: made.topic, jobId, markSeenBefore: null, now }
    return database.transaction().execute((transaction) => storePage(transaction, { ...page, ...prepared }))
  }
  const now = new Date(start + 10 * dayMs)
  if (made.do === 'purge author') return purgeRequests(database, { ...made, dryRun: false, now })
  if (made.do === 'purge platform') {
    return purgeRequests(database, { platform: made.platform, suppress: false, dryRun: false, now })
  }
  if (made.do === 'expire') {
    return deleteExpiredRequests(database, new Map([['github', 3]]), new Date(start + made.day * dayMs))
  }
  return sql`delete from requests where source_id = ${made.sourceId}`.execute(database)
}

/** Pages, purges and expiry may run at once; SQL of an operator takes no lock, so it runs alone. */
async function runAll(steps: readonly Step[], atOnce: boolean): Promise<void> {
  const together = atOnce ? steps.filter((made) => made.do !== 'delete in SQL') : []
  await Promise.all(together.map(run))
  for (const made of atOnce ? [] : steps) await run(made)
}

it('the counts of topics equal their requests after any changes', { timeout: 600_000 }, async () => {
  console.log(`counts of topics: seed ${seed}, ${runs} runs`)
  const { database } = opened
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.boolean(), async (steps, atOnce) => {
      await opened.reset()
      const account = await database
        .insertInto('accounts')
        .values({ name: 'test', tier: 'max', created_at: new Date(start) })
        .returning('id')
        .executeTakeFirstOrThrow()
      const job = { account_id: account.id, topic: 'dark mode', depth: 1, created_at: new Date(start) }
      jobId = (await database.insertInto('scrape_jobs').values(job).returning('id').executeTakeFirstOrThrow()).id
      await runAll(steps, atOnce)
      expect(await findWrongCounts(database)).toEqual([])
      const { topics } = await listTopics(database, {
        sortBy: 'name',
        limit: 100,
        now: new Date(start),
        view: sharedView,
      })
      const left = await database
        .selectFrom('request_topics')
        .select((eb) => ['topic_key', eb.fn.countAll<number>().as('requests')])
        .groupBy('topic_key')
        .execute()
      expect(
        Object.fromEntries(topics.map(({ topic, requests }) => [topic.toLowerCase().replace('  ', ' '), requests])),
      ).toEqual(Object.fromEntries(left.map(({ topic_key, requests }) => [topic_key, Number(requests)])))
    }),
    { numRuns: runs, seed },
  )
})
