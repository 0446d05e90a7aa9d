import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { type PlatformName, type RequestStatus, requestStatuses, type Standing } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { platformNames } from '../../platforms/registry.ts'
import { sharedView, type View } from '../../requests/view.ts'
import type { ListFilters } from './index-scan.ts'
import { type ListInput, listRequests } from './list.ts'

// Holds (Search, lists and export): lists are exact and bounded for any filters, in every view

// Takes seconds: 40,000 requests are listed with every mix of filters.

// Lists at a size where a bad plan shows: every mix of filters is compared with a plain filter of all rows, and its statements
// with what they may read. TEST_SEED repeats a run, LIST_RUNS=500 makes it a long one.

/** Of 20,000 the planner sometimes reads all instead of an index, since they cost about the same. */
const size = 40_000
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const runs = campaignSize('LIST_RUNS', { quick: 15, nightly: 300 })
const start = Date.UTC(2020, 0, 1)
const hourMs = 3_600_000

interface Model {
  id: string
  platform: PlatformName
  votes: number
  postedAt: number
  tags: string[]
  topics: string[]
  jobs: string[]
  status: RequestStatus | null
  standing: Standing
  /** How the account with differences sees it. */
  own: Standing
}

let opened: TestDatabase
let model: Model[]
const jobs = { small: crypto.randomUUID(), large: crypto.randomUUID() }

let accountId: string

/** Most requests are hidden; the account sees every 13th likely one as unlikely, and every 17th other one as likely or maybe. */
function standingsOf(number: number): Pick<Model, 'standing' | 'own'> {
  const standing = ([0, 2, 0, -1, 2, 0, 1] as const)[(number * 11) % 7]!
  if (standing === 2) return { standing, own: number % 13 === 0 ? 0 : 2 }
  return { standing, own: number % 17 === 0 ? (number % 2 === 0 ? 2 : 1) : standing }
}

const idOf = (number: number) => `00000000-0000-4000-8000-${String((number * 7_919) % 1_000_003).padStart(12, '0')}`

/** Common and rare, everywhere and in one stretch: what a walk finds at once, late, or only at the end. */
function modelOf(number: number): Model {
  const isLast = number >= size - 6_000
  return {
    id: idOf(number),
    platform: number % 1_000 === 0 ? 'lemmy' : number % 3 === 0 ? 'github' : isLast ? 'gitlab' : 'hackernews',
    votes: number % 5_000 === 1 ? 100_000 + number : (number * 31) % 97,
    // Several at the same moment.
    postedAt: start + Math.floor(number / 3) * hourMs,
    tags: [
      ...(number % 2 === 0 ? ['common'] : []),
      ...(number % 4_000 === 3 ? ['rare'] : []),
      ...(number < 6_000 ? ['early'] : []),
      ...(isLast ? ['late'] : []),
    ],
    topics: ['all', ...(number % 7 === 0 ? ['seventh'] : []), ...(number % 9_000 === 5 ? ['tiny'] : [])],
    status: number % 4 === 0 ? null : requestStatuses[number % 1_000 === 1 ? 1 : 0]!,
    ...standingsOf(number),
    jobs: [...(number % 800 === 1 ? [jobs.small] : []), ...(number % 3 !== 0 ? [jobs.large] : [])],
  }
}

async function fill(): Promise<void> {
  const { database } = opened
  model = Array.from({ length: size }, (_, number) => modelOf(number))
  const now = new Date(start)
  const account = { name: 'test', tier: 'max' as const, created_at: now }
  const { id: account_id } = await database
    .insertInto('accounts')
    .values(account)
    .returning('id')
    .executeTakeFirstOrThrow()
  accountId = account_id
  for (const id of Object.values(jobs)) {
    await database
      .insertInto('scrape_jobs')
      .values({ id, account_id, topic: 'all', depth: 1, created_at: now })
      .execute()
  }
  for (const key of ['all', 'seventh', 'tiny']) {
    await database.insertInto('topics').values({ key, name: key, created_at: now }).execute()
  }
  const chunks = Array.from({ length: size / 10_000 }, (_, index) => index * 10_000).map((from) =>
    JSON.stringify(model.slice(from, from + 10_000)),
  )
  const differences = model.filter(({ standing, own }) => standing !== own)
  // One change: what is derived from requests is derived once.
  await changeRequests(
    database,
    ...chunks.flatMap((rows) => [
      sql`
      insert into requests
        (confidence, id, platform, source_id, title, description, votes, tags, source_url, topic, original_created_at, created_at, updated_at,
          standing, status)
      select 1, id, platform, id::text, 'A title', 'A text', votes, tags, 'https://example.org', 'all',
        to_timestamp("postedAt" / 1000), ${now}, ${now}, standing, status
      from jsonb_to_recordset(${rows}::jsonb)
        as row (id uuid, platform text, votes integer, tags text[], "postedAt" bigint, standing integer, status text)
      `,
      sql`
      insert into request_topics (request_id, topic_key, found_at, platform, posted_at, votes, tags, standing)
      select id, topic, ${now}, platform, to_timestamp("postedAt" / 1000), votes, tags, standing
      from jsonb_to_recordset(${rows}::jsonb)
        as row (id uuid, platform text, votes integer, tags text[], "postedAt" bigint, topics text[], standing integer),
          unnest(topics) as topic
      `,
      sql`
      insert into scrape_job_requests (job_id, request_id)
      select job::uuid, id from jsonb_to_recordset(${rows}::jsonb) as row (id uuid, jobs text[]), unnest(jobs) as job
      `,
    ]),
    sql`
    insert into account_requests (account_id, request_id, standing)
    select ${accountId}, id, own from jsonb_to_recordset(${JSON.stringify(differences)}::jsonb) as row (id uuid, own integer)
    `,
  )
  await sql`analyze`.execute(database)
}

beforeAll(async () => {
  opened = await openTestDatabase()
  await fill()
})
afterAll(() => opened.close())

/** A small generator (mulberry32), so that a seed repeats a run. */
function randomOf(state: number): () => number {
  let a = state
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function randomFilters(random: () => number): ListFilters {
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!
  const maybe = <T extends object>(share: number, make: () => T) => (random() < share ? make() : {})
  const day = () => new Date(start + Math.floor(random() * (size / 3)) * hourMs)
  return {
    ...maybe(0.4, () => ({ topic: pick(['all', 'ALL', 'seventh', 'tiny', 'none']) })),
    ...maybe(0.4, () => ({
      platforms: pick<PlatformName[]>([['lemmy'], ['gitlab'], ['github', 'lemmy'], ['x'], [...platformNames]]),
    })),
    ...maybe(0.5, () => ({
      tags: pick([['common'], ['rare'], ['early'], ['late'], ['early', 'late'], ['common', 'rare'], ['none']]),
    })),
    ...maybe(0.3, () => ({ minVotes: pick([-1, 50, 96, 97, 100_000, 200_000]) })),
    ...maybe(0.3, () => ({ since: day() })),
    ...maybe(0.3, () => ({ until: day() })),
    ...maybe(0.2, () => ({ status: pick<RequestStatus[]>([['open'], ['planned'], ['open', 'planned'], ['closed']]) })),
    view: { account: random() < 0.5 ? null : accountId, least: pick<View['least']>([2, 2, 1, 0]) },
    ...maybe(0.2, () => ({ jobId: pick(Object.values(jobs)) })),
  }
}

function expected({
  topic,
  platforms,
  tags,
  minVotes,
  since,
  until,
  status,
  jobId,
  view,
  sortBy,
}: ListInput): string[] {
  const { account, least } = view ?? sharedView
  const key = (row: Model) => (sortBy === 'new' ? row.postedAt : row.votes)
  return model
    .filter(
      (row) =>
        (account === null ? row.standing : row.own) >= least &&
        (status === undefined || (row.status !== null && status.includes(row.status))) &&
        (topic === undefined || row.topics.includes(topic.toLowerCase())) &&
        (platforms === undefined || platforms.includes(row.platform)) &&
        (tags === undefined || tags.every((tag) => row.tags.includes(tag))) &&
        (minVotes === undefined || row.votes >= minVotes) &&
        (since === undefined || row.postedAt >= since.getTime()) &&
        (until === undefined || row.postedAt < until.getTime()) &&
        (jobId === undefined || row.jobs.includes(jobId)),
    )
    .sort((a, b) => key(b) - key(a) || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id)
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** How many rows of tables the plan has read, those that it threw away included. */
function readRows(plan: Plan): number {
  const own = plan['Relation Name'] === undefined ? 0 : plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
  return own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, inner) => sum + readRows(inner), 0)
}

/** An executor that notes what every statement read. */
function watched(): { executor: Executor; reads: { rows: number; statement: string }[] } {
  const reads: { rows: number; statement: string }[] = []
  const inner = opened.database.getExecutor()
  const executeQuery = async (query: CompiledQuery) => {
    const explained = { ...query, sql: `explain (analyze, format json) ${query.sql}` }
    const { rows } = await inner.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explained)
    reads.push({ rows: readRows(rows[0]!['QUERY PLAN'][0].Plan), statement: query.sql })
    return inner.executeQuery(query)
  }
  // Its methods keep their own `this`: they have private fields.
  const bound = (name: string | symbol) => {
    const value: unknown = Reflect.get(inner, name)
    return typeof value === 'function' ? value.bind(inner) : value
  }
  const watching = new Proxy(inner, { get: (_, name) => (name === 'executeQuery' ? executeQuery : bound(name)) })
  return { executor: { getExecutor: () => watching } as unknown as Executor, reads }
}

/** Far more than a page needs, which is 5,000, and far less than there are: a scan of a table reads `size` rows and more. */
const maxRows = size / 2

describe('a list of many', () => {
  it('returns exactly what passes, each once and in order, for any mix of filters', { timeout: 300_000 }, async () => {
    console.log(`lists: seed ${seed}, ${runs} runs`)
    const random = randomOf(seed)
    for (let run = 0; run < runs; run++) {
      const sortBy = random() < 0.5 ? 'new' : 'votes'
      const input: ListInput = {
        ...randomFilters(random),
        sortBy,
        fullText: false,
        limit: 1 + Math.floor(random() * 100),
      }
      const right = expected(input)
      const got: string[] = []
      let cursor: string | null = null
      // Long lists are followed for some pages only.
      for (let pages = 0; pages < 12; pages++) {
        const page = await listRequests(opened.database, { ...input, ...(cursor === null ? {} : { cursor }) })
        expect(page.results.length).toBeLessThanOrEqual(input.limit)
        got.push(...page.results.map(({ _id }) => _id))
        cursor = page.cursor
        if (!page.hasMore) break
      }
      expect(got, JSON.stringify(input)).toEqual(cursor === null ? right : right.slice(0, got.length))
    }
  })

  const cases: [name: string, filters: ListFilters][] = [
    ['nothing', {}],
    ['a topic', { topic: 'all' }],
    ['a rare tag', { tags: ['rare'] }],
    ['a tag of the first', { tags: ['early'] }],
    ['tags that never meet', { tags: ['early', 'late'] }],
    ['a rare tag in a topic', { topic: 'all', tags: ['rare'] }],
    ['a rare platform', { platforms: ['lemmy'] }],
    ['a platform of the last', { platforms: ['gitlab'] }],
    ['an absent platform in a topic', { topic: 'all', platforms: ['x'] }],
    ['high votes', { minVotes: 100_000 }],
    ['high votes in a topic', { topic: 'all', minVotes: 100_000 }],
    ['a stretch of time', { since: new Date(start), until: new Date(start + 100 * hourMs) }],
    ['a stretch of time in a topic', { topic: 'all', until: new Date(start + 100 * hourMs) }],
    ['a job', { jobId: jobs.small }],
    ['a large job with what it has not', { jobId: jobs.large, tags: ['rare'], platforms: ['lemmy'] }],
    ['common things that never meet', { topic: 'all', platforms: ['gitlab'], tags: ['early', 'common'], minVotes: 3 }],
  ]
  it.each(cases)('reads a bounded part of the tables with a filter for %s', async (_name, filters) => {
    const views = [sharedView, { ...sharedView, least: 0 as const }, { account: accountId, least: 2 as const }]
    for (const [sortBy, view] of views.flatMap((one) => [['new', one] as const, ['votes', one] as const])) {
      const { executor, reads } = watched()
      await listRequests(executor, { ...filters, view, sortBy, fullText: false, limit: 20 })
      for (const { rows, statement } of reads) expect(rows, statement).toBeLessThan(maxRows)
      expect(reads.length).toBeLessThanOrEqual(6)
    }
  })

  it('reads a page and its records in one statement, and no more rows than it needs', async () => {
    for (const filters of [
      {},
      { topic: 'all' },
      { topic: 'seventh', platforms: ['github' as const] },
      { tags: ['common'] },
    ]) {
      for (const sortBy of ['new', 'votes'] as const) {
        const { executor, reads } = watched()
        await listRequests(executor, { ...filters, sortBy, fullText: false, limit: 20 })
        expect(reads).toHaveLength(1)
        expect(reads[0]?.rows, reads[0]?.statement).toBeLessThan(1_500)
      }
    }
  })
})
