import { afterAll, beforeAll, expect, it } from 'vitest'
import { testSourceKinds } from '../src/platforms/sources/testing.ts'
import type { TestClient } from './client.ts'
import { foundRequest, platformMap, scriptedPlatform } from './scripted-platform.ts'
import { startTestService, type TestService } from './service.ts'

// Holds (Data): what an account collects from its own source reaches other accounts only once listed or named there

// Takes seconds: every surface of the API is asked for several accounts.

// Two accounts and the real routes: what one collects from a source of its own changes nothing that the other sees, until a page that is
// no account's own has a request of it, or the other one names the source too.

const known = foundRequest('known', {
  title: 'Dark mode for the sidebar',
  description: 'A wish for evenings',
  votes: 3,
})
const shared = foundRequest('shared', {
  title: 'Zebrafish palette for the editor',
  description: 'A wish with aquamarine colours',
  authorName: 'Secret Gardener',
  originalCreatedAt: null,
  votes: 7,
})
const secret = { ...shared, sourceId: 'secret', title: 'Zebrafish palettes for the editors', votes: 5 }

/** What the sources of the operator have, by topic. */
const listed = new Map([
  ['dark mode', [known]],
  ['palette', [shared]],
  ['zebrafish', [foundRequest('new', { title: 'Evening hours', description: 'A wish' })]],
])
const github = {
  ...scriptedPlatform('github', (_call, { topic, sources }) => {
    const own = (sources ?? []).flatMap((ownSource) => [shared, secret, known].map((one) => ({ ...one, ownSource })))
    return { requests: sources ? own : (listed.get(topic.toLowerCase()) ?? []), nextCursor: null }
  }),
  verifySource: async () => {},
}

let service: TestService
type Reader = TestClient & { apiKey: string }
let naming: Reader
let other: Reader
beforeAll(async () => {
  service = await startTestService({
    platforms: platformMap(github),
    sourceKinds: testSourceKinds,
    environment: { SOURCES: 'any', PLATFORMS: 'github' },
    expansion: { topicsFor: async (query) => [query, 'Secret PLAN'] },
  })
  const [first, second] = [await service.createAccount(), await service.createAccount()]
  naming = { ...first.client, apiKey: first.apiKey }
  other = { ...second.client, apiKey: second.apiKey }
})
afterAll(() => service.stop())

const sources = { github: ['ada/engine'] }
async function collect(client: TestClient, body: Record<string, unknown>): Promise<{ jobId: string }> {
  const { body: started } = await client.scrape({ platforms: ['github'], ...body })
  const job = await client.waitForJob(started.data.jobId)
  expect(job.status).toBe('completed')
  return job
}
const listing = async (client: TestClient, query = '') =>
  (await client.get(`/api/v1/requests?limit=100&include=all${query}`)).body.data.results as Record<string, unknown>[]
const titles = (requests: readonly Record<string, unknown>[]) => requests.map(({ title }) => title).sort()
const idOf = async (client: TestClient, title: string) =>
  (await listing(client)).find((request) => request.title === title)!._id as string

/** An export as text: its lines are JSON, and it is not. */
const exported = async ({ apiKey }: Reader, query: string) => {
  const url = `${service.url}/api/v1/requests/export?${query}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
  return [response.status, await response.text()] as const
}

/** Everything that an account reads of the cache, by call. */
async function surfaces(client: Reader, known: string) {
  const read: Record<string, unknown> = {}
  const paths = [
    ...['', '&topic=dark+mode', '&topic=secret+plan', '&tag=enhancement&minVotes=4', '&sortBy=votes'].flatMap(
      (query) => [`/api/v1/requests?limit=100${query}`, `/api/v1/requests?limit=100&include=all${query}`],
    ),
    ...['new', 'votes', 'name'].map((order) => `/api/v1/topics?sortBy=${order}`),
    '/api/v1/topics?query=secret',
    '/api/v1/topics/dark%20mode',
    '/api/v1/topics/secret%20plan',
    '/api/v1/corrections/requests',
    `/api/v1/requests/${known}`,
    `/api/v1/requests/${known}/similar?include=all`,
  ]
  for (const path of paths) {
    const { status, body } = await client.get(path)
    read[path] = [status, body.data ?? body.error]
  }
  for (const query of ['', 'format=csv', 'topic=secret+plan', 'query=zebrafish', 'query=wish']) {
    read[`export ${query}`] = await exported(client, `include=all&${query}`)
  }
  for (const query of ['wish', 'zebrafish', 'zebrafsh', 'aquamarine', 'zebraf', '"zebrafish palette"']) {
    for (const more of [{}, { include: 'all' }, { prefix: true, highlight: true }]) {
      const { status, body } = await client.search(query, { ...more, total: true })
      read[`search ${query} ${JSON.stringify(more)}`] = [status, body.data, body.meta]
    }
  }
  return read
}

async function expectHidden(before: unknown, jobs: readonly string[]): Promise<void> {
  const ids = [await idOf(naming, shared.title), await idOf(naming, secret.title), await idOf(naming, known.title)]
  const hidden = ids.slice(0, 2)
  expect(await surfaces(other, ids[2]!)).toEqual(before)
  for (const path of hidden.flatMap((id) => [`/requests/${id}`, `/requests/${id}/similar`])) {
    expect((await other.get(`/api/v1${path}`)).status).toBe(404)
  }
  for (const id of hidden) {
    const correction = { requestId: id, isRequest: false }
    expect((await other.post('/api/v1/corrections/requests', correction)).status).toBe(404)
  }
  for (const job of jobs) {
    for (const path of [`/requests?jobId=${job}`, `/requests/export?jobId=${job}`, `/scrape/${job}`]) {
      expect((await other.get(`/api/v1${path}`)).status).toBe(404)
    }
  }
}

async function expectSeenByNaming(jobId: string): Promise<void> {
  expect(titles(await listing(naming))).toEqual(titles([known, shared, secret] as never))
  expect(titles(await listing(naming, '&topic=secret+plan'))).toEqual(titles([shared, secret] as never))
  expect(titles(await listing(naming, `&jobId=${jobId}`))).toEqual(titles([known, shared, secret] as never))
  const { body } = await naming.search('zebrafish')
  expect(titles(body.data.results)).toEqual(titles([shared, secret] as never))
  const topics = (await naming.get('/api/v1/topics?query=secret')).body.data.results
  expect(topics).toMatchObject([{ topic: 'Secret Plan', requests: 2, votes: 12 }])
  const page = (await naming.get('/api/v1/topics/secret%20plan')).body.data
  expect(page.wishes).toHaveLength(2)
  expect(page.wishes.reduce((sum: number, { votes }: { votes: number }) => sum + votes, 0)).toBe(12)
  const similar = await naming.get(`/api/v1/requests/${await idOf(naming, shared.title)}/similar`)
  expect(titles(similar.body.data.results)).toEqual([secret.title])
  const [, lines] = await exported(naming, 'query=zebrafish')
  expect(lines.trim().split('\n')).toHaveLength(2)
}

it('what an account collects from its own source is hidden from another one until it is listed or named', {
  timeout: 120_000,
}, async () => {
  await collect(other, { topic: 'dark mode' })
  const before = await surfaces(other, await idOf(other, known.title))
  const plan = await collect(naming, { topic: 'Secret Plan', sources })
  const dark = await collect(naming, { topic: 'DARK mode', sources })
  await expectSeenByNaming(plan.jobId)
  await expectHidden(before, [plan.jobId, dark.jobId])

  // An expanded search of the other account collects the topic of the first one from the operator's sources.
  const expanded = await other.search('zebrafish', { expand: true, platforms: ['github'], include: 'all' })
  expect(titles(expanded.body.data.results)).toEqual([])
  expect(expanded.body.meta).toMatchObject({ newResultsFound: 1, topicsScraped: 2, maybeResults: 0, cachedResults: 0 })
  expect((await other.get('/api/v1/topics/secret%20plan')).status).toBe(404)

  // A page of the operator's sources finds one of them: for all others it is as if nothing had been collected before.
  const live = await other.get('/api/v1/requests?topic=palette&source=realtime&platforms=github')
  expect(live.body.meta).toMatchObject({ newResultsFound: 1 })
  expect(live.body.data.results).toMatchObject([
    { title: shared.title, topic: 'palette', topics: ['dark mode', 'palette'] },
  ])
  for (const client of [naming, other]) {
    expect(titles(await listing(client, '&topic=palette'))).toEqual([shared.title])
    // Words are counted in the background.
    await service.runMaintenance()
    expect((await client.search('aquamrine')).body.meta.didYouMean).toBe('aquamarine')
  }
  expect(titles((await other.search('zebrafish')).body.data.results)).toEqual([shared.title])
  expect(titles((await naming.search('zebrafish')).body.data.results)).toEqual(titles([shared, secret] as never))
  expect((await other.get('/api/v1/topics?query=secret')).body.data.results).toEqual([])

  await collect(other, { topic: 'editor', sources })
  await service.runMaintenance()
  expect(titles((await other.search('zebrafish')).body.data.results)).toEqual(titles([shared, secret] as never))

  const admin = service.clientFor(service.adminKey)
  const purged = await admin.post('/api/admin/purge', { author: 'Secret Gardener' })
  expect(purged.body.data.deleted).toBe(2)
  for (const client of [naming, other]) {
    expect(titles(await listing(client))).toEqual(titles([known, { title: 'Evening hours' }] as never))
    const { body } = await client.search('zebrafsh', { include: 'all' })
    expect([body.data.results, body.meta.didYouMean]).toEqual([[], undefined])
    expect((await client.get('/api/v1/topics/secret%20plan')).status).toBe(404)
  }
})
