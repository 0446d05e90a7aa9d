import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { campaignSize } from '../../test/campaign-size.ts'
import { hasBm25, openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { isCluster, openTestCluster, openTestSearchIndex } from '../../test/search.ts'
import { changeRequests } from '../../test/stored-requests.ts'
import type { PlatformName, RequestStatus, Standing } from '../database/column-types.ts'
import type { RequestFilters } from '../requests/filters/filters.ts'
import type { View } from '../requests/view.ts'
import { bm25 } from './bm25.ts'
import { createDatabaseEngine } from './database-engine.ts'
import { type FacetName, facetNames, type RankedQuery, readHits, type SearchEngine, voteSteps } from './engine.ts'
import type { ClusterSearch } from './opensearch/cluster-search.ts'
import { createClusterEngine } from './opensearch/opensearch-engine.ts'
import type { SearchOrder } from './orders.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import { type Bounds, defaultBounds } from './totals.ts'
import { tsvector } from './tsvector.ts'
import { prepareTsvector } from './tsvector-preparation.ts'

// Holds (Search, lists and export): orders by votes and date, totals and facets equal a plain scan, up to 200,000 requests

// Takes seconds: every order is compared with a scan, for dozens of searches by each engine.

// What every search engine must do. Exact orders, totals and facets equal those of a plain scan, however many requests match.

const runs = campaignSize('EXACT_SEARCHES', { quick: 30, nightly: isCluster ? 300 : 1_000 })
const timeout = Math.max(isCluster ? 300_000 : 60_000, runs * 500)

interface Row {
  id: string
  text: string
  platform: PlatformName
  product: string | null
  status: RequestStatus | null
  tags: string[]
  votes: number
  posted: Date
  standing: Standing
}

// Every word is one that the stemmer leaves alone. `sso` has another form, and neighbours of a query may be one word.
const words = ['alpha', 'beta', 'gamma', 'delta', 'omega']
const written = [...words, 'sso', 'single sign on', 'alphabeta']
const platforms = ['github', 'gitlab', 'reddit'] as const
const products = [null, 'acme/app', 'r/android'] as const
const statuses = [null, 'open', 'completed'] as const
const account = crypto.randomUUID()
const accountStandings = new Map<string, Standing>()
const rows: Row[] = []
let opened: TestDatabase

const pick = <T>(from: readonly T[], seed: number): T => from[seed % from.length]!

function makeRow(number: number): Row {
  // A multiplicative hash: any number as good as random, the same in every run.
  const seed = (Math.imul(number + 1, 2_654_435_761) >>> 8) + number
  const text = Array.from({ length: 1 + (seed % 6) }, (_, index) =>
    pick(index < 5 ? words : written, (seed >>> index) + index * seed),
  )
  return {
    // Every eighth one is in the sample for certain.
    id: number % 8 === 0 ? crypto.randomUUID().replace(/^../, '00') : crypto.randomUUID(),
    text: text.join(' '),
    platform: pick(platforms, seed >>> 3),
    product: pick(products, seed >>> 9),
    status: pick(statuses, seed >>> 5),
    tags: seed % 3 === 0 ? ['ui'] : seed % 7 === 0 ? ['ui', 'api'] : [],
    votes: (seed >>> 4) % 9,
    posted: new Date(Date.UTC(2020 + (seed % 5), (seed >>> 2) % 12, 1 + ((seed >>> 6) % 20))),
    standing: pick([2, 2, 2, 1, 0, -1] as const, seed >>> 7),
  }
}

async function storeRows(): Promise<void> {
  rows.push(...Array.from({ length: 700 }, (_, number) => makeRow(number)))
  const { database } = opened
  await sql`insert into accounts (id, name, tier, created_at) values (${account}, 'exact', 'free', now())`.execute(
    database,
  )
  await changeRequests(
    database,
    sql`
    with incoming as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as incoming (id uuid, text text, platform text, product text,
        status text, tags text[], votes integer, posted timestamptz, standing smallint)
    ), stored as (
      insert into requests (confidence, id, platform, product, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at,
        original_created_at, standing, status)
      select 1, id, platform, product, id::text, '', '', votes, tags, '', 'exact', now(), now(), posted, standing, status from incoming
    )
    insert into request_texts (request_id, text) select id, text from incoming`,
  )
  for (const [number, { id, standing }] of rows.entries()) {
    if (number % 5 === 0) accountStandings.set(id, standing === 2 ? 0 : 2)
  }
  const own = JSON.stringify([...accountStandings].map(([id, standing]) => ({ id, standing })))
  await changeRequests(
    database,
    sql`insert into account_requests (account_id, request_id, standing)
    select ${account}, id, standing from jsonb_to_recordset(${own}::jsonb) as own (id uuid, standing smallint)`,
  )
  await sql`analyze`.execute(database)
}

interface Asked {
  words: string[]
  phrase: string | null
  excluded: string | null
  filters: RequestFilters
  sortBy: Exclude<SearchOrder, 'relevance'>
  offset: number
  limit: number
}

const queryOf = ({ words: asked, phrase, excluded }: Asked): string =>
  [...asked, ...(phrase === null ? [] : [`"${phrase}"`]), ...(excluded === null ? [] : [`-${excluded}`])].join(' ')

const view = fc.record<View>({
  account: fc.constantFrom(null, account),
  least: fc.constantFrom<View['least'][]>(2, 2, 1, 0),
})
const filters = fc.record(
  {
    platforms: fc.subarray([...platforms], { minLength: 1 }),
    tags: fc.subarray(['ui', 'api'], { minLength: 1 }),
    products: fc.subarray(['acme/app', 'r/android'], { minLength: 1 }),
    minVotes: fc.integer({ min: 0, max: 9 }),
    since: fc.constantFrom(new Date('2021-06-01'), new Date('2024-01-01')),
    until: fc.constantFrom(new Date('2022-01-01'), new Date('2020-02-02')),
    status: fc.constantFrom<RequestStatus[][]>(['open'], ['open', 'completed']),
    view,
  },
  { requiredKeys: ['view'] },
)
const asked: fc.Arbitrary<Asked> = fc.record({
  words: fc.uniqueArray(fc.constantFrom(...words, 'nowhere', 'sso'), { minLength: 1, maxLength: 3 }),
  phrase: fc.option(fc.constantFrom('alpha beta', 'gamma', 'delta omega alpha'), { freq: 4 }),
  excluded: fc.option(fc.constantFrom(...words), { freq: 4 }),
  filters,
  sortBy: fc.constantFrom('votes', 'new'),
  offset: fc.integer({ min: 0, max: 99 }),
  limit: fc.integer({ min: 1, max: 100 }),
})

const standingIn = (row: Row, { account: viewer }: View): Standing =>
  (viewer === null ? undefined : accountStandings.get(row.id)) ?? row.standing

/** All rows that pass, by reading every one of them. */
function scan({ words: typed, phrase, excluded, filters: given, sortBy }: Asked) {
  const all = [...new Set([...typed, ...(phrase?.split(' ') ?? [])])]
  const has = (row: Row, words: string) => ` ${row.text} `.includes(` ${words} `)
  const isOther = (row: Row, word: string) => word === 'sso' && typed.includes(word) && has(row, 'single sign on')
  const joined = all.length > 4 || !all.join(' ').includes('alpha beta') ? [] : ['alpha', 'beta']
  const means = (row: Row, word: string) =>
    has(row, word) || isOther(row, word) || (joined.includes(word) && has(row, 'alphabeta'))
  const seen = given.view!
  const passing = rows.filter(
    (row) =>
      standingIn(row, seen) >= seen.least &&
      (phrase === null || has(row, phrase)) &&
      (excluded === null || !has(row, excluded)) &&
      (given.platforms?.includes(row.platform) ?? true) &&
      (given.products === undefined || (row.product !== null && given.products.includes(row.product))) &&
      (given.tags?.every((tag) => row.tags.includes(tag)) ?? true) &&
      (given.minVotes === undefined || row.votes >= given.minVotes) &&
      (given.since === undefined || row.posted >= given.since) &&
      (given.until === undefined || row.posted < given.until) &&
      (given.status === undefined || (row.status !== null && given.status.includes(row.status))),
  )
  const key = (row: Row) => (sortBy === 'votes' ? row.votes : row.posted.getTime())
  const inOrder = (some: Row[]) =>
    some.toSorted((a, b) => standingIn(b, seen) - standingIn(a, seen) || key(b) - key(a) || (a.id < b.id ? 1 : -1))
  const whole = passing.filter((row) => all.every((word) => means(row, word)))
  const some = passing.filter((row) => !whole.includes(row) && all.some((word) => means(row, word)))
  return { whole, ordered: [...inOrder(whole), ...inOrder(some)] }
}

function countFacet(some: readonly Row[], name: FacetName) {
  const values = some.flatMap((row) => {
    if (name === 'tag') return row.tags
    if (name === 'votes') return voteSteps.filter((least) => row.votes >= least).map(String)
    if (name === 'year') return [String(row.posted.getUTCFullYear())]
    return row[name] ?? []
  })
  const counts = [...Map.groupBy(values, (value) => value)].map(([value, { length: count }]) => ({ value, count }))
  return counts.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

const ofDatabase = hasBm25 ? (['bm25', 'tsvector'] as const) : (['tsvector'] as const)
const kinds = isCluster ? (['opensearch'] as const) : ofDatabase
const rankings = { bm25, tsvector }
let search: ClusterSearch

beforeAll(async () => {
  opened = await openTestDatabase()
  if (isCluster) search = await openTestCluster(opened.database)
  else {
    const { kind } = await openTestSearchIndex(opened.database)
    // The other engine as well.
    if (kind === 'bm25') await prepareTsvector(opened.database, { isShared: false, buildsFullIndex: true })
  }
  await storeRows()
})
afterAll(async () => {
  if (isCluster) await search.close()
  await opened.close()
})

describe.each(kinds)('the engine %s', (kind) => {
  /** With an engine whose bounds are smaller; those of a cluster are its own: so many matches are counted in the database. */
  const engineWith = (bounds: Bounds = defaultBounds): SearchEngine => {
    if (kind !== 'opensearch') return createDatabaseEngine(kind, rankings[kind], bounds)
    return createClusterEngine({
      cluster: search.cluster,
      alias: search.alias,
      verified: bounds === defaultBounds ? 1_000 : 10,
    })
  }
  const indexWith = (bounds: Bounds = defaultBounds): SearchIndex => createSearchIndex(engineWith(bounds))

  // Of a cluster it differs only how many of its answers are verified.
  test.each([
    ['of a cache', defaultBounds],
    ['of few matches in a large cache', { ...defaultBounds, small: 0, sorted: 700 }],
  ] as const)('orders exactly as a plain scan: all %s', { timeout }, async (_way, bounds) => {
    const index = indexWith(bounds)
    await fc.assert(
      fc.asyncProperty(asked, async (input) => {
        const { filters: given, sortBy, offset } = input
        const limit = Math.min(input.limit, 100 - offset)
        const found = await index.search(opened.database, {
          query: queryOf(input),
          filters: given,
          sortBy,
          offset,
          limit,
        })
        const { ordered } = scan(input)
        expect(found.results.map(({ _id }) => _id)).toEqual(ordered.slice(offset, offset + limit).map(({ id }) => id))
        expect([found.more, found.window]).toEqual([ordered.length > offset + limit, null])
      }),
      // On a cluster looking for a shorter example takes longer than a test may.
      { numRuns: runs, endOnFailure: isCluster },
    )
  })

  test('counts what has all words as a plain scan does, by every facet', { timeout }, async () => {
    const index = indexWith()
    // So few that the sample is read first.
    const sampling = indexWith({ ...defaultBounds, counted: 699, small: 0 })
    await fc.assert(
      fc.asyncProperty(asked, async (input) => {
        const counted = { query: queryOf(input), filters: input.filters }
        const totals = await index.totals(opened.database, { ...counted, facets: facetNames })
        const { whole } = scan(input)
        for (const one of [index, sampling]) {
          const total = await one.totals(opened.database, counted)
          expect(total).toEqual({ total: whole.length, totalIsExact: true })
          for (const sortBy of ['relevance', input.sortBy] as const) {
            const aside = { words: [], total: true }
            const page = await one.search(opened.database, { ...counted, sortBy, offset: 0, limit: 1, aside })
            // A cluster counts by itself, and so do phrases by relevance.
            const isAlone = kind === 'opensearch' || (sortBy === 'relevance' && input.phrase !== null)
            if (!isAlone || page.aside!.totals !== null) expect(page.aside!.totals).toEqual(total)
          }
        }
        expect(totals).toEqual({
          total: whole.length,
          totalIsExact: true,
          facets: Object.fromEntries(facetNames.map((name) => [name, countFacet(whole, name)])),
          facetsAreExact: true,
        })
      }),
      // One word in the shared view, where some of its matches may be requests, with a filter and without.
      { numRuns: runs, examples: [[everyAlpha], [{ ...everyAlpha, filters: { view: sharedLikely, minVotes: 3 } }]] },
    )
  })

  test.skipIf(isCluster)(
    'says among how many it ordered, and how many it counted, where a large cache has too many matches',
    async () => {
      const index = indexWith({ ...defaultBounds, sorted: 20, small: 0, counted: 20, filtered: 30 })
      const query = 'alpha'
      const found = await index.search(opened.database, { query, sortBy: 'votes', offset: 0, limit: 50 })
      // Fewer than 1,000 match, so all of them are among the best.
      const { ordered } = scan({
        words: [query],
        phrase: null,
        excluded: null,
        filters: { view: sharedLikely },
        ...byVotes,
      })
      expect(found.results.map(({ _id }) => _id)).toEqual(ordered.slice(0, 50).map(({ id }) => id))
      const { total, totalIsExact, facetsAreExact } = await index.totals(opened.database, { query, facets: ['year'] })
      expect([totalIsExact, facetsAreExact]).toEqual([false, false])
      expect(total).toBe(20)
      // Of the filtered ones only the first 30 matches were read.
      const filtered = await index.totals(opened.database, { query, filters: { platforms: ['github'] } })
      expect(filtered.totalIsExact).toBe(false)
      expect(filtered.total).toBeLessThanOrEqual(20)
    },
  )

  test.skipIf(isCluster).each<[string, RequestFilters]>([
    ['', {}],
    [', also of those that pass filters', { platforms: [...platforms], minVotes: 1 }],
    [', also as an account sees them', { view: { account, least: 2 } }],
  ])('says that there are more than it counts, by a sample%s', async (_of, filters) => {
    // Fewer than 600 match, so only the sample can say that there are more.
    const index = indexWith({ ...defaultBounds, counted: 600, manySampled: 5 })
    const found = await index.totals(opened.database, { query: 'alpha', filters })
    expect(found).toEqual({ total: 600, totalIsExact: false })
    const none = await index.totals(opened.database, { query: 'alpha', filters: { ...filters, minVotes: 100 } })
    expect(none).toEqual({ total: 0, totalIsExact: true })
    const aside = { words: [], total: true }
    const page = await index.search(opened.database, { query: 'alpha', filters, offset: 0, limit: 1, aside })
    expect(page.aside!.totals ?? found).toEqual(found)
  })

  // Where very many have all words, not all of them are read.
  const many: Bounds = { ...defaultBounds, counted: 0, manySampled: 5 }
  const readBest = async (query: RankedQuery, max: number, bounds?: Bounds) =>
    readHits(opened.database, await engineWith(bounds).best(opened.database, query, max))
  const readAmong = async (query: RankedQuery, ids: readonly string[]) =>
    readHits(opened.database, await engineWith().among(opened.database, query, ids))

  test('ranks what has any of the words, and its scores are the same for chosen requests', async () => {
    const query = { words: ['alpha', 'beta'], terms: [], filters: {} }
    const hits = await readBest(query, 5_001)
    expect(new Set(hits.map(({ id }) => id))).toEqual(
      new Set(rows.filter(({ text }) => /\b(?:alpha|beta)\b/.test(text)).map(({ id }) => id)),
    )
    expect(hits).toEqual(hits.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)))
    const chosen = hits.slice(3, 9)
    const again = await readAmong(query, [...chosen.map(({ id }) => id), rows[0]!.id])
    for (const { id, score } of chosen) expect(again.find((hit) => hit.id === id)?.score).toBeCloseTo(score, 4)
  })

  test.each([
    [['alpha'], ['beta']],
    [['alpha'], ['beta'], ['gamma'], ['delta']],
    [['alpha', 'omega'], ['beta gamma']],
    [['nowhere'], ['alpha']],
    [['alpha', '"beta gamma"'], ['delta']],
    [['nowhere', '"omega alpha delta"']],
  ])('ranks what has all words first, however few are asked for: %j %j', async (...terms) => {
    // A view in which every request may be a result.
    const everything = { view: { account, least: 0 as const } }
    const ranked = terms.flat().filter((alternative) => !alternative.startsWith('"'))
    const query = { words: [...new Set(ranked.flatMap((term) => term.split(' ')))], terms, filters: everything }
    const has = (text: string, alternative: string) =>
      alternative.startsWith('"')
        ? ` ${text} `.includes(alternative.replaceAll('"', ' '))
        : alternative.split(' ').every((word) => ` ${text} `.includes(` ${word} `))
    const hasAll = (text: string) => terms.every((term) => term.some((alternative) => has(text, alternative)))
    const all = await readBest(query, 5_001)
    const right = rows.filter(({ text }) => hasAll(text)).map(({ id }) => id)
    expect(
      all
        .filter((hit) => hit.hasAll)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(right.toSorted())
    expect(all).toEqual(
      all.toSorted((a, b) => Number(b.hasAll) - Number(a.hasAll) || b.score - a.score || (a.id < b.id ? -1 : 1)),
    )
    const ids = all.map(({ id }) => id)
    const scores = new Map(all.map(({ id, score }) => [id, score]))
    for (const [max, bounds] of [1, 20, 101, 301].flatMap((max) =>
      [defaultBounds, many].map((one) => [max, one] as const),
    )) {
      const first = await readBest(query, max, bounds)
      expect(first.map((hit) => hit.hasAll)).toEqual(all.slice(0, max).map((hit) => hit.hasAll))
      // What ranks lower by its score, and is there because it has all words, has the score of the worst.
      const worst = Math.min(...first.map(({ score }) => score))
      for (const { id, score } of first)
        expect([worst, scores.get(id)!].some((right) => Math.abs(score - right) < 0.001)).toBe(true)
    }
    const again = await readAmong(query, ids.slice(0, 40))
    expect(again.map((hit) => hit.hasAll)).toEqual(all.slice(0, 40).map((hit) => hit.hasAll))
  })

  test.each(['alpha beta', 'alpha beta gamma delta', 'nowhere alpha'])(
    'a search by relevance has what has all words first, on all of its pages: %s',
    async (query) => {
      const textOf = new Map(rows.map(({ id, text }) => [id, text.replaceAll('alphabeta', 'alpha beta').split(' ')]))
      const views = [sharedLikely, { account, least: 0 as const }]
      for (const [view, bounds] of views.flatMap((view) => [defaultBounds, many].map((one) => [view, one] as const))) {
        const index = indexWith(bounds)
        const { total } = await indexWith().totals(opened.database, { query, filters: { view } })
        const ids: string[] = []
        for (const offset of [0, 20, 40, 60, 80]) {
          const page = await index.search(opened.database, { query, filters: { view }, offset, limit: 20 })
          ids.push(...page.results.map(({ _id }) => _id))
        }
        expect(new Set(ids).size).toBe(100)
        const haveAll = ids.map((id) => query.split(' ').every((word) => textOf.get(id)!.includes(word)))
        expect(haveAll).toEqual(ids.map((_, rank) => rank < total))
      }
    },
  )

  test('gives the requests with a phrase, and none where they may be too many', async () => {
    const engine = engineWith()
    const query = { terms: [['alpha'], ['beta']], phrases: [['alpha beta']], excluded: [], filters: {} }
    const right = rows.filter(({ text }) => ` ${text} `.includes(' alpha beta ')).map(({ id }) => id)
    const found = await engine.withPhrases(opened.database, query, right.length)
    expect(found?.toSorted()).toEqual(right.toSorted())
    expect(await engine.withPhrases(opened.database, query, right.length - 1)).toBeNull()
    expect(await engine.withPhrases(opened.database, { ...query, phrases: [] }, 100)).toBeNull()
  })
})

const sharedLikely: View = { account: null, least: 2 }
const byVotes = { sortBy: 'votes' as const, offset: 0, limit: 50 }
const everyAlpha: Asked = {
  words: ['alpha'],
  phrase: null,
  excluded: null,
  filters: { view: sharedLikely },
  ...byVotes,
}
