import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import type { TestClient } from '../../../test/client.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { changeWishes, makeWish } from '../../../test/stored-wish.ts'
import { takeLock } from '../../database/advisory-locks.ts'
import { type PlatformName, type RequestStatus, requestStatuses, type Standing } from '../../database/column-types.ts'
import { hashIdentity } from '../identity.ts'
import type { OwnAsks } from '../wish-numbers/membership.ts'

// Holds (Search, lists and export): every surface shows each account exactly its view: ids, classes, corrections, topic sums
// Holds (Dashboard): records, similar requests, topics, grouped searches and the page agree on a wish's numbers, for every account

// Takes seconds: a run collects, corrects and compares every surface with a scan for several accounts.

// Three accounts see the same requests: one as all do, two with differences and corrections of their own. For random standings every
// surface shows each of them exactly what a plain model says. TEST_SEED repeats a run, VIEWS_RUNS=200 makes it a long one. `npm test` reads the lists and
// searches of each account with one of the options of `include`, which the seed draws; at night each account has all of them.

const runs = campaignSize('VIEWS_RUNS', { quick: 1, nightly: 60 })
const isCampaign = runs > 1
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const topics = ['dark mode', 'export', 'sync']
/** The requests of a group have equal titles, and so are similar; those of two groups are not. All but the last group are one wish. */
const groups = ['midnight palette', 'spreadsheet download', 'calendar bridge']

interface Drawn {
  platform: PlatformName
  group: number
  votes: number
  tags: string[]
  topics: string[]
  daysAgo: number
  standing: Standing
  status: RequestStatus | null
  /** How the two accounts see it that see some requests differently. */
  own: [Standing | null, Standing | null]
  corrections: { operator: boolean; own: [boolean, boolean] }
}

const shared = fc.constantFrom<Standing>(2, 2, 1, 0, 0, -1)
const own = fc.option(fc.constantFrom<Standing>(2, 1, 0), { freq: 3 })
const drawn: fc.Arbitrary<Drawn> = fc.record({
  platform: fc.constantFrom<PlatformName>('github', 'hackernews', 'import'),
  group: fc.nat(groups.length - 1),
  votes: fc.nat(9),
  tags: fc.subarray(['ui', 'bug']),
  topics: fc.subarray(topics),
  daysAgo: fc.constantFrom(0, 3, 12, 60),
  standing: shared,
  status: fc.option(fc.constantFrom<RequestStatus>(...requestStatuses.slice(0, 3))),
  own: fc.tuple(own, own),
  corrections: fc.record({ operator: fc.boolean(), own: fc.tuple(fc.boolean(), fc.boolean()) }),
})

interface Reader {
  accountId: string
  client: TestClient
  apiKey: string
  /** Null for the account without differences. */
  differences: 0 | 1 | null
  jobId: string
}

type Request = Drawn & { id: string; sourceId: string; wishId: string }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function makeReader(differences: Reader['differences']): Promise<Reader> {
  const { accountId, apiKey, client } = await service.createAccount('max')
  const { id: jobId } = await service.database
    .insertInto('scrape_jobs')
    .values({ account_id: accountId, topic: 'dark mode', depth: 1, created_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { accountId, client, apiKey, differences, jobId }
}

const json = (rows: unknown) => JSON.stringify(rows)

async function storeRequests(requests: readonly Request[]): Promise<void> {
  const { database } = service
  await sql`insert into topics (key, name, created_at) select key, key, now() from unnest(${topics}::text[]) as key`.execute(
    database,
  )
  const rows = requests.map((request) => ({ ...request, title: groups[request.group] }))
  const columns = sql`(id uuid, platform text, "sourceId" text, title text, votes integer, tags text[], topics text[],
    "daysAgo" integer, standing integer, status text)`
  await changeRequests(
    database,
    sql`
    insert into requests (id, platform, source_id, title, description, votes, tags, source_url, topic, original_created_at,
      created_at, updated_at, standing, status, confidence)
    select id, platform, "sourceId", title, '', votes, tags, 'https://example.org', 'dark mode',
      now() - "daysAgo" * interval '1 day', now(), now(), standing, status, 0.5
    from jsonb_to_recordset(${json(rows)}::jsonb) as row ${columns}`,
  )
  await sql`
    insert into request_topics (request_id, topic_key, found_at, platform, posted_at, votes, tags, standing)
    select requests.id, found.topic, now(), requests.platform, requests.posted_at, requests.votes, requests.tags, requests.standing
    from jsonb_to_recordset(${json(rows)}::jsonb) as row ${columns} join requests using (id),
      unnest(row.topics) as found (topic)`.execute(database)
  await changeRequests(
    database,
    sql`insert into request_texts (request_id, text) select id, 'wish ' || title from requests`,
  )
}

/** Joins the requests of the first groups to one wish each; each of the others is a wish by itself. */
async function storeWishes(requests: Request[]): Promise<void> {
  for (const group of [0, 1]) {
    const members = requests.filter((request) => request.group === group)
    if (members.length === 0) continue
    const wishId = await makeWish(
      service.database,
      members.map(({ id }) => id),
    )
    for (const member of members) member.wishId = wishId
  }
}

/** What the triggers count: the likely requests of each topic, and how many more are maybe. */
const countTopics = (): Promise<void> =>
  service.database.transaction().execute(async (database) => {
    await takeLock(database, 'topicCounts')
    await sql`delete from topic_deltas`.execute(database)
    await sql`delete from topic_counts`.execute(database)
    await sql`
    insert into topic_counts (topic_key, kind, value, requests, votes)
    select topic_key, part.kind, part.value, count(*), sum(part.votes) from request_topics, lateral (
      select 'platform' as kind, platform as value, request_topics.votes as votes
      union all select 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), 0
      union all select distinct 'tag', tag, 0 from unnest(tags) as tag
    ) as part where standing = 2 group by 1, 2, 3`.execute(database)
    await sql`
    update topics set
      requests = (select count(*) from request_topics where topic_key = key and standing = 2),
      votes = (select coalesce(sum(request_topics.votes), 0) from request_topics where topic_key = key and standing = 2),
      maybe = (select count(*) from request_topics where topic_key = key and standing = 1)`.execute(database)
  })

async function storeViews(requests: readonly Request[], readers: readonly Reader[]): Promise<void> {
  const { database } = service
  const correct = (account_id: string | null, { platform, sourceId }: Request) => ({
    account_id,
    platform,
    source_hash: hashIdentity(platform, { kind: 'id', value: sourceId }),
    is_request: true,
    made_by: 'admin',
    created_at: new Date(),
  })
  const corrections = requests.flatMap((request) => [
    ...(request.corrections.operator ? [correct(null, request)] : []),
    ...readers.flatMap(({ accountId, differences }) =>
      differences !== null && request.corrections.own[differences] ? [correct(accountId, request)] : [],
    ),
  ])
  if (corrections.length > 0) await database.insertInto('request_corrections').values(corrections).execute()
  for (const { accountId, jobId, differences } of readers) {
    const found = requests.filter((_, index) => index % 2 === 0).map(({ id }) => ({ job_id: jobId, request_id: id }))
    if (found.length > 0) await database.insertInto('scrape_job_requests').values(found).execute()
    if (differences === null) continue
    const rows = requests.flatMap(({ id, own }) => {
      const standing = own[differences]
      return standing === null ? [] : [{ account_id: accountId, request_id: id, standing }]
    })
    if (rows.length > 0)
      await changeWishes(database, (transaction) => transaction.insertInto('account_requests').values(rows).execute())
    const amount = corrections.filter(({ account_id }) => account_id === accountId).length
    await database
      .updateTable('accounts')
      .set({ has_own_view: rows.length > 0, corrections: amount })
      .where('id', '=', accountId)
      .execute()
  }
}

const standingFor = ({ differences }: Reader, { standing, own }: Request): Standing =>
  (differences === null ? null : own[differences]) ?? standing

const isAsk = ({ platform }: Request) => platform === 'import'

/** The wish of a request as a reader sees it; null for a request that is not likely. */
function wishFor(reader: Reader, requests: readonly Request[], request: Request) {
  if (standingFor(reader, request) < 2) return null
  const members = requests.filter((one) => one.wishId === request.wishId && standingFor(reader, one) === 2)
  const asks = members.filter(isAsk)
  const others = members.filter((member) => !isAsk(member))
  return {
    wishId: request.wishId,
    requestCount: others.length,
    votes: sum(others),
    own: asks.length === 0 ? null : { asks: asks.length, votes: sum(asks) },
  }
}

/** The wishes of some likely requests, by their ids. */
const wishesFor = (reader: Reader, requests: readonly Request[], of: readonly Request[]) =>
  [...new Map(of.map((request) => [request.wishId, wishFor(reader, requests, request)!])).values()].sort(byWishId)

const byWishId = (a: { wishId: string }, b: { wishId: string }) => (a.wishId < b.wishId ? -1 : 1)

type Record = {
  _id: string
  likelihood: string
  corrected: boolean
  status: string | null
  votes: number
  wish: object | null
  cursor?: string
}
const idsOf = (records: readonly { _id: string }[]) => records.map(({ _id }) => _id).sort()
const ids = (requests: readonly Request[]) => requests.map(({ id }) => id).sort()

async function readPages(client: TestClient, query: string): Promise<Record[]> {
  const records: Record[] = []
  let cursor: string | null = null
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`
    const { body } = await client.get(`/api/v1/requests?limit=7&${query}${more}`)
    records.push(...body.data.results)
    cursor = body.data.cursor
  } while (cursor !== null)
  return records
}

/** As text: the test client would read JSON Lines as JSON. */
async function readExport({ apiKey }: Reader, query: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}` }
  return (await fetch(`${service.url}/api/v1/requests/export?${query}`, { headers })).text()
}

const exported = async (reader: Reader, query: string): Promise<Record[]> =>
  (await readExport(reader, query))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const csvIds = async (reader: Reader, query: string): Promise<string[]> =>
  (await readExport(reader, `format=csv&${query}`))
    .split('\r\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => line.split(',')[0]!.replaceAll('"', ''))
    .sort()

const includes = ['none', 'maybe', 'all'] as const
const leasts = { none: 2, maybe: 1, all: 0 } as const

function checkRecords(reader: Reader, requests: readonly Request[], records: readonly Record[]): void {
  const byId = new Map(requests.map((request) => [request.id, request]))
  for (const { _id, likelihood, corrected, status, wish } of records) {
    const request = byId.get(_id)!
    const { operator, own } = request.corrections
    expect({ likelihood, corrected, status, wish }).toEqual({
      likelihood: ['unlikely', 'maybe', 'likely'][standingFor(reader, request)],
      corrected: operator || (reader.differences !== null && own[reader.differences]),
      status: request.status,
      wish: wishFor(reader, requests, request),
    })
  }
}

async function checkLists(reader: Reader, requests: readonly Request[], include: keyof typeof leasts): Promise<void> {
  const { client, jobId } = reader
  const seen = requests.filter((request) => standingFor(reader, request) >= leasts[include])
  const option = include === 'none' ? '' : `include=${include}&`
  const cases: [query: string, passes: (request: Request) => boolean][] = [
    ['', () => true],
    ['topic=Dark%20Mode', (request) => request.topics.includes('dark mode')],
    [`jobId=${jobId}`, ({ id }) => requests.findIndex((one) => one.id === id) % 2 === 0],
    ['status=planned,open', ({ status }) => status === 'planned' || status === 'open'],
    [
      'topic=sync&status=open&status=in_progress',
      (request) => request.topics.includes('sync') && (request.status === 'open' || request.status === 'in_progress'),
    ],
    ['platforms=github&tag=ui', ({ platform, tags }) => platform === 'github' && tags.includes('ui')],
  ]
  for (const [query, passes] of cases) {
    const right = ids(seen.filter(passes))
    for (const sortBy of ['new', 'votes']) {
      const listed = await readPages(client, `${option}sortBy=${sortBy}&${query}`)
      expect(idsOf(listed), `list ${option}${query}`).toEqual(right)
      checkRecords(reader, requests, listed)
    }
    expect(idsOf(await exported(reader, option + query)), `export ${option}${query}`).toEqual(right)
    expect(await csvIds(reader, option + query), `CSV ${option}${query}`).toEqual(right)
    if (query.startsWith('jobId')) continue
    expect(idsOf(await exported(reader, `${option}${query}&query=wish`)), `search export ${option}${query}`).toEqual(
      right,
    )
  }
}

async function checkSearches(
  reader: Reader,
  requests: readonly Request[],
  include: keyof typeof leasts,
): Promise<void> {
  const { client } = reader
  const classOf = (request: Request) => standingFor(reader, request)
  const option = include === 'none' ? {} : { include }
  for (const status of [undefined, ['open', 'planned']] as const) {
    const passing = requests.filter((request) => status === undefined || status.includes(request.status as never))
    for (const sortBy of ['relevance', 'votes', 'new']) {
      const filters = { ...option, ...(status ? { status } : {}) }
      const { body } = await client.search('wish', { limit: 100, sortBy, filters })
      expect(idsOf(body.data.results), `search ${include} ${sortBy}`).toEqual(
        ids(passing.filter((request) => classOf(request) >= leasts[include])),
      )
      checkRecords(reader, requests, body.data.results)
      const maybe = passing.filter((request) => classOf(request) === 1).length
      expect(body.meta.maybeResults).toBe(include === 'none' ? maybe : 0)
    }
  }
  const query = include === 'none' ? '' : `&include=${include}`
  for (const request of requests.slice(0, 4)) {
    const one = await client.get(`/api/v1/requests/${request.id}`)
    const similar = await client.get(`/api/v1/requests/${request.id}/similar?limit=100${query}`)
    expect([one.status, similar.status]).toEqual(Array(2).fill(classOf(request) >= 0 ? 200 : 404))
    if (one.status === 404) continue
    checkRecords(reader, requests, [one.body.data, ...similar.body.data.results])
    checkSimilar(reader, requests, request, { data: similar.body.data, least: leasts[include] })
  }
}

interface SimilarAnswer {
  results: (Record & { sameWish: boolean })[]
  wish: object | null
  requests: number
  votes: number
  own: object | null
}

/** The members of the wish, and after them others, which are of no number. */
function checkSimilar(
  reader: Reader,
  requests: readonly Request[],
  request: Request,
  { data, least }: { data: SimilarAnswer; least: number },
): void {
  const isMember = (other: Request) =>
    standingFor(reader, request) === 2 && other.id !== request.id && other.wishId === request.wishId
  const members = data.results.filter(({ sameWish }) => sameWish)
  const shown = requests.filter((other) => standingFor(reader, other) >= least)
  expect(idsOf(members), 'similar').toEqual(ids(shown.filter(isMember)))
  expect(data.results.slice(0, members.length)).toEqual(members)
  const possible = ids(shown.filter((other) => other.id !== request.id && !isMember(other)))
  expect(possible).toEqual(expect.arrayContaining(idsOf(data.results.slice(members.length))))
  const wish = wishFor(reader, requests, request)
  const { votes } = request
  const alone = isAsk(request)
    ? { requestCount: 0, votes: 0, own: { asks: 1, votes } }
    : { requestCount: 1, votes, own: null }
  const { requestCount, ...sums } = wish ?? { wishId: null, ...alone }
  expect(data).toMatchObject({ wish, requests: requestCount, votes: sums.votes, own: sums.own })
}

/** A search whose results are wishes has the wishes of the requests that it has without, in the same numbers. */
async function checkGrouped(reader: Reader, requests: readonly Request[]): Promise<void> {
  for (const platforms of [undefined, ['github']] as const) {
    const likely = requests.filter((request) => standingFor(reader, request) === 2)
    const matching = likely.filter(({ platform }) => platforms === undefined || platforms.includes(platform as never))
    for (const sortBy of ['relevance', 'votes', 'new']) {
      const filters = platforms === undefined ? {} : { platforms }
      const { body } = await reader.client.search('wish', { groupBy: 'wish', limit: 100, sortBy, filters })
      const results: { wishId: string; requestCount: number; votes: number; matching: number }[] = body.data.results
      const right = wishesFor(reader, requests, matching).map((wish) => ({
        ...wish,
        matching: matching.filter(({ wishId }) => wishId === wish.wishId).length,
      }))
      expect([...results].sort(byWishId), `grouped ${sortBy}`).toMatchObject(right)
      expect(results).toHaveLength(right.length)
      if (sortBy === 'votes')
        expect(results.map(({ votes }) => votes)).toEqual(right.map(({ votes }) => votes).sort((a, b) => b - a))
      checkRecords(
        reader,
        requests,
        body.data.results.map(({ bestMatch }: { bestMatch: Record }) => bestMatch),
      )
    }
  }
}

const sum = (requests: readonly Request[]) => requests.reduce((total, { votes }) => total + votes, 0)

function expectedTopic(reader: Reader, requests: readonly Request[], topic: string) {
  const linked = requests.filter((request) => request.topics.includes(topic))
  const likely = linked.filter((request) => standingFor(reader, request) === 2)
  const posted = (days: number) => likely.filter(({ daysAgo }) => daysAgo < days).length
  const tagged = ['bug', 'ui'].map((tag) => ({ tag, requests: likely.filter(({ tags }) => tags.includes(tag)).length }))
  return {
    likely,
    summary: {
      topic,
      requests: likely.length,
      votes: sum(likely),
      maybeRequests: linked.filter((request) => standingFor(reader, request) === 1).length,
      growth: { days7: posted(7), days30: posted(30) },
      tags: tagged.filter((tag) => tag.requests > 0).sort((a, b) => b.requests - a.requests),
    },
  }
}

async function checkTopics(reader: Reader, requests: readonly Request[]): Promise<void> {
  const { client } = reader
  const right = topics.map((topic) => expectedTopic(reader, requests, topic))
  for (const sortBy of ['name', 'votes', 'new']) {
    const listed: { votes: number; topic: string }[] = []
    let cursor: string | null = null
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`
      const { body } = await client.get(`/api/v1/topics?limit=1&sortBy=${sortBy}${more}`)
      listed.push(...body.data.results)
      cursor = body.data.cursor
    } while (cursor !== null)
    const shown = right.filter(({ summary }) => summary.requests > 0).map(({ summary }) => summary)
    expect([...listed].sort((a, b) => (a.topic < b.topic ? -1 : 1))).toMatchObject(shown)
    expect(listed).toHaveLength(shown.length)
    if (sortBy === 'votes')
      expect(listed.map(({ votes }) => votes)).toEqual(shown.map(({ votes }) => votes).sort((a, b) => b - a))
  }
  for (const { likely, summary } of right) {
    const { status, body } = await client.get(`/api/v1/topics/${encodeURIComponent(summary.topic)}`)
    expect(status).toBe(summary.requests + summary.maybeRequests > 0 ? 200 : 404)
    if (status === 404) continue
    expect(body.data).toMatchObject(summary)
    const platforms = (['github', 'hackernews'] as const)
      .map((platform) => ({ platform, of: likely.filter((request) => request.platform === platform) }))
      .map(({ platform, of }) => ({
        platform,
        requests: of.length,
        votes: sum(of),
        votesAre: expect.any(String),
      }))
      .filter((count) => count.requests > 0)
      .sort((a, b) => b.requests - a.requests)
    expect(body.data.platforms).toEqual(platforms)
    const byStatus = Map.groupBy(likely, ({ status }) => status)
    byStatus.delete(null)
    const statuses = [...byStatus].map(([status, of]) => ({ status, requests: of.length, votes: sum(of) }))
    const byName = (one: { status: string }, other: { status: string }) => (one.status < other.status ? -1 : 1)
    expect(body.data.breakdown.statuses.toSorted(byName)).toEqual((statuses as { status: string }[]).toSorted(byName))
    expect(body.data.breakdown.counted).toBe(likely.length)
    const total = (counts: { requests: number }[]) => counts.reduce((all, { requests: amount }) => all + amount, 0)
    expect(total(body.data.timeline)).toBe(likely.length)
    const wishes: { wishId: string; requests: number; votes: number; own: OwnAsks | null }[] = body.data.wishes
    const shown = wishes.map(({ wishId, requests: requestCount, votes, own }) => ({
      ...{ wishId, requestCount, votes },
      own: own && { asks: own.asks, votes: own.votes },
    }))
    expect(shown.map(({ votes }) => votes)).toEqual(shown.map(({ votes }) => votes).sort((a, b) => b - a))
    // At most 20 are shown.
    if (shown.length < 20) expect(shown.sort(byWishId)).toEqual(wishesFor(reader, requests, likely))
  }
}

it('every surface shows each account exactly its view', { timeout: 900_000 }, async () => {
  console.log(`views of accounts: seed ${seed}, ${runs} runs`)
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 4, maxLength: 24 }), async (made) => {
      await service.reset()
      const readers = [await makeReader(null), await makeReader(0), await makeReader(1)]
      const requests = made.map((request, index) => {
        const id = crypto.randomUUID()
        // What is imported is about no topic.
        const found = request.platform === 'import' ? [] : request.topics
        return { ...request, topics: found, id, sourceId: `source é ${index}`, wishId: id }
      })
      await storeRequests(requests)
      await storeWishes(requests)
      await countTopics()
      await storeViews(requests, readers)
      for (const [index, reader] of readers.entries()) {
        const drawnInclude = includes[(seed + index) % includes.length]!
        for (const include of isCampaign ? includes : [drawnInclude]) {
          await checkLists(reader, requests, include)
          await checkSearches(reader, requests, include)
        }
        await checkTopics(reader, requests)
        await checkGrouped(reader, requests)
      }
      // Again, when the response cache has the answers of all of them.
      for (const reader of readers) await checkSearches(reader, requests, 'none')
    }),
    { numRuns: runs, seed },
  )
})
