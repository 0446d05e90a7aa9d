import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { takeLock } from '../../database/advisory-locks.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { reclassifySlice, setStrictness } from '../../requests/accuracy/reclassifying.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { deleteAlone, deleteExpiredRequests } from '../../requests/store/delete.ts'
import { preparePage, type Relevance } from '../../requests/store/prepared-page.ts'
import { correctionHash, recomputeStandings } from '../../requests/store/standings.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { foldAllTopicCounts, foldTopicCounts } from '../../requests/store/topic-counts.ts'
import { sharedView } from '../../requests/view.ts'
import { type Strictness, strictnesses } from '../../requests/views/strictness.ts'
import { countSlice, countTexts } from '../../requests/words/uncounted-texts.ts'
import { vocabularyCounts } from '../../search/testing.ts'
import { listTopics } from './topics.ts'
import { findWrongCounts } from './verify.ts'

// Holds (Search, lists and export): topic counts are exact, and the vocabulary, once counted, has exactly the words of listed requests, after any change
// Holds (Search, lists and export): shared and account classes follow from stored data, in any order of pages, corrections and strictness

// Requests are stored, refreshed, corrected, purged and expire and accounts are switched in any order, also at the same time: the counts of topics and the
// standings stay right, and the vocabulary has the words of listed requests.
// TEST_SEED repeats a run, COUNTS_RUNS=1000 makes it a long one.

const runs = campaignSize('COUNTS_RUNS', { quick: 10, nightly: 300 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const start = Date.UTC(2026, 5, 1)
const dayMs = 86_400_000

let opened: TestDatabase
let jobId: string
let accountId: string
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
  word: fc.constantFrom('palette', 'shortcut'),
  confidence: fc.constantFrom(0, 0.45, 1),
  relevance: fc.constantFrom<Relevance>('onTopic', 'onTopic', 'incomplete', 'offTopic'),
})
/** A confidence of 0.45 is likely as usual, and maybe for strict accounts. */
const strictness = fc.constantFrom(...strictnesses)
type Found = typeof found extends fc.Arbitrary<infer T> ? T : never
type Step =
  | { do: 'store'; platform: PlatformName; topic: string; day: number; source: string | null; requests: Found[] }
  | { do: 'correct'; platform: PlatformName; sourceId: string; isRequest: boolean; byOperator: boolean }
  | { do: 'turn'; strictness: Strictness }
  | { do: 'purge author'; author: string; suppress: boolean }
  | { do: 'purge platform'; platform: PlatformName }
  | { do: 'expire'; day: number }
  | { do: 'count words'; texts: number }
  | { do: 'fold counts'; rows: number }
  | { do: 'delete in SQL'; sourceId: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      platform,
      day: fc.nat(3),
      topic: fc.constantFrom('Dark mode', 'dark  MODE', 'export', 'sync'),
      source: fc.constantFrom(null, null, 'one', 'two'),
      requests: fc.array(found, { maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('correct' as const),
      platform,
      sourceId: fc.nat(11).map(String),
      isRequest: fc.boolean(),
      byOperator: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('turn' as const), strictness }) },
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
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('count words' as const), texts: fc.integer({ min: 1, max: 8 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fold counts' as const), rows: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete in SQL' as const), sourceId: fc.nat(11).map(String) }) },
)

async function run(made: Step): Promise<unknown> {
  const { database } = opened
  if (made.do === 'store') {
    const now = new Date(start + made.day * dayMs)
    const of = (relevance: Relevance) =>
      made.requests
        .filter((one) => one.relevance === relevance)
        .map(({ sourceId, posted, author, word, relevance: _, ...rest }) =>
          foundRequest(sourceId, {
            ...rest,
            title: `Request ${word}`,
            ownSource: made.source,
            authorHandle: author,
            originalCreatedAt: posted === null ? null : new Date(start - posted * 20 * dayMs),
          }),
        )
    const fetched = { requests: of('onTopic'), incomplete: of('incomplete'), offTopic: of('offTopic') }
    const prepared = await preparePage(made.platform, fetched, null)
    const page = { platform: made.platform, topic: made.topic, jobId, markSeenBefore: null, now }
    return storePageAlone(database, { ...page, ...prepared })
  }
  const now = new Date(start + 10 * dayMs)
  if (made.do === 'correct') return correct(made)
  if (made.do === 'turn') {
    await setStrictness(database, accountId, made.strictness)
    while (await reclassifySlice(database));
    return
  }
  if (made.do === 'purge author') return purgeRequests(database, { ...made, dryRun: false, now })
  if (made.do === 'purge platform') {
    return purgeRequests(database, { platform: made.platform, suppress: false, dryRun: false, now })
  }
  if (made.do === 'expire') {
    return deleteExpiredRequests(database, new Map([['github', 3]]), new Date(start + made.day * dayMs))
  }
  if (made.do === 'count words') return countSlice(database, made.texts)
  if (made.do === 'fold counts') return foldTopicCounts(database, made.rows)
  const chosen = sql<{ id: string }>`
    select id from requests where source_id = ${made.sourceId} order by platform, source_id for update`
  return deleteAlone(database, chosen)
}

/** A correction, as the routes of corrections write it: under the lock of the request. */
const correct = ({ platform, sourceId, isRequest, byOperator }: Extract<Step, { do: 'correct' }>) =>
  opened.database.transaction().execute(async (transaction) => {
    const ofRequest = sql`platform = ${platform} and source_id = ${sourceId}`
    const stored = await sql`select from requests where ${ofRequest}`.execute(transaction)
    // The routes correct stored requests only. Where there is none, no page may store it meanwhile.
    if (stored.rows.length === 0) await takeLock(transaction, 'suppressions')
    const { rows } = await sql<{ id: string }>`
      select id from requests where ${ofRequest} for no key update`.execute(transaction)
    if (rows.length < stored.rows.length) return
    await sql`
      insert into request_corrections (account_id, platform, source_hash, is_request, made_by, created_at)
      values (${byOperator ? null : accountId}, ${platform}, ${correctionHash(platform, sourceId)}, ${isRequest}, 'admin', now())
      on conflict (source_hash, account_id) do update set is_request = excluded.is_request`.execute(transaction)
    await sql`
      update accounts set corrections = (select count(*) from request_corrections where account_id = accounts.id)
      where id = ${accountId}`.execute(transaction)
    await recomputeStandings(
      transaction,
      rows.map(({ id }) => id),
    )
  })

/** All standings, shared and of accounts. */
async function standings() {
  const { rows } = await sql`
    select source_id, platform, requests.standing, own.account_id, own.standing as own
    from requests left join account_requests as own on request_id = id order by 1, 2, 4`.execute(opened.database)
  return rows
}

/** Pages, purges and expiry may run at once; SQL of an operator takes no lock, so it runs alone. */
async function runAll(steps: readonly Step[], atOnce: boolean): Promise<void> {
  const together = atOnce ? steps.filter((made) => made.do !== 'delete in SQL') : []
  await Promise.all(together.map(run))
  for (const made of atOnce ? [] : steps) await run(made)
}

it('counts of topics, standings and vocabulary are right after any changes', { timeout: 600_000 }, async () => {
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
      accountId = account.id
      await sql`insert into account_sources select ${accountId}, platform, 'one', now()
        from unnest(array['github', 'hackernews']) as platform`.execute(database)
      jobId = (await database.insertInto('scrape_jobs').values(job).returning('id').executeTakeFirstOrThrow()).id
      await runAll(steps, atOnce)
      expect(await findWrongCounts(database)).toEqual([])
      await foldAllTopicCounts(database)
      expect(await findWrongCounts(database)).toEqual([])
      // The vocabulary is counted where requests are stored, not by triggers.
      if (atOnce || steps.every((made) => made.do !== 'delete in SQL')) {
        const { stored, counted } = await vocabularyCounts(database)
        expect(stored).toEqual(counted)
        await countTexts(database)
        const all = await vocabularyCounts(database)
        expect([all.stored, all.left]).toEqual([all.counted, 0])
      }
      const before = await standings()
      const { rows: all } = await sql<{ id: string }>`select id from requests`.execute(database)
      await database.transaction().execute((transaction) =>
        recomputeStandings(
          transaction,
          all.map(({ id }) => id),
        ),
      )
      expect(await standings()).toEqual(before)
      const { results: topics } = await listTopics(database, {
        sortBy: 'name',
        limit: 100,
        now: new Date(start),
        view: sharedView,
      })
      const left = await database
        .selectFrom('request_topics')
        .innerJoin('requests', 'requests.id', 'request_id')
        .where('requests.standing', '=', 2)
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
