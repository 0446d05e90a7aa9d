import { expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { openBrowser } from '../../accounts/sessions/testing.ts'
import { createGate, pageOf, platforms, prepareLiveService, refusing } from '../../collecting/live/testing.ts'
import { ledgerOf } from '../testing.ts'

const live = prepareLiveService()

const own = () => live.service.client
const admin = () => live.service.clientFor(live.service.adminKey)
const list = async (query = '', client: TestClient = own()) =>
  (await client.get(`/api/v1/usage/collections${query}`)).body.data
const runJob = async (topic: string, depth: number, client: TestClient = own()) => {
  const { body } = await client.scrape({ topic, platforms, depth })
  await client.waitForJob(body.data.jobId)
  return body.data.jobId as string
}
const accountOf = async () => (await admin().get('/api/admin/accounts')).body.data.results[0].accountId as string

const byId = (one: { collectionId: string }, other: { collectionId: string }) =>
  one.collectionId < other.collectionId ? -1 : 1
const credits = (reserved: number, held: number, settled: number, released: number) => ({
  ...{ reserved, held, settled, released },
})
const byKey = { by: 'key', keyName: 'BOOTSTRAP_API_KEY', personName: null, watchId: null, watchName: null }

it('is a row for each job, expanded search and realtime list, with what each held, was charged and gave back', async () => {
  live.scripts.hackernews = refusing
  const jobId = await runJob('dark mode', 2)
  await live.expand('two-way sync')
  live.scripts.github = refusing
  await live.realtime('offline')
  const { results } = await list()
  const common = { platforms, startedAt: expect.any(String), endedAt: expect.any(String) }
  expect(results).toMatchObject([
    { ...common, operation: 'realtime', topic: 'offline', ...credits(1, 0, 0, 1), startedBy: byKey },
    { ...common, operation: 'expand', topic: 'two-way sync', ...credits(1, 0, 1, 0), startedBy: byKey },
    {
      ...common,
      collectionId: jobId,
      operation: 'scrape',
      topic: 'dark mode',
      ...credits(4, 0, 2, 2),
      startedBy: byKey,
    },
  ])
  const { results: entries } = (await own().get('/api/v1/usage/entries')).body.data
  const topicOf = new Map(entries.map(({ cause, topic }: { cause: string; topic: string }) => [cause, topic]))
  for (const { collectionId, topic } of results) expect(topicOf.get(collectionId)).toBe(topic)
})

it('holds credits until a job is cancelled, and then gives back what was not delivered', async () => {
  const gate = createGate()
  live.scripts.hackernews = async (_call, request) => {
    await gate.passed
    return pageOf('hackernews')(request)
  }
  const { body } = await own().scrape({ topic: 'dark mode', platforms, depth: 1 })
  const { jobId } = body.data
  await expect.poll(async () => (await own().get(`/api/v1/scrape/${jobId}`)).body.data.progress.github).toBe('done')
  expect((await list()).results).toMatchObject([{ ...credits(2, 2, 0, 0), endedAt: null }])
  await own().send('DELETE', `/api/v1/scrape/${jobId}`)
  gate.open()
  await own().waitForJob(jobId)
  expect((await list()).results).toMatchObject([credits(2, 0, 1, 1)])
})

it('says who began each: a key, a person who signed in, or a watch, also when that is deleted', async () => {
  const made = await own().post('/api/v1/keys', { name: 'laptop', scope: 'collect' })
  const { keyId, apiKey } = made.body.data
  await runJob('by key', 1, live.service.clientFor(apiKey))
  const accountId = await accountOf()
  const invited = await admin().post(`/api/admin/accounts/${accountId}/links`, {})
  const browser = openBrowser(() => live.service.url)
  await browser.signIn({ link: new URL(invited.body.data.url).hash.slice(1) })
  const onPage = await browser.call('POST', '/api/v1/scrape', { body: { topic: 'by person', platforms, depth: 1 } })
  await own().waitForJob(onPage.body.data.jobId)
  const watch = { topic: 'by watch', platforms, depth: 1, schedule: 'weekly', monthlyCredits: 50 }
  const { watchId } = (await own().post('/api/v1/watches', watch)).body.data
  const run = await own().post(`/api/v1/watches/${watchId}/run`, {})
  await own().waitForJob(run.body.data.jobId)
  const starters = async () => {
    const { results } = await list()
    return Object.fromEntries(results.map(({ topic, startedBy }: Record<string, unknown>) => [topic, startedBy]))
  }
  const nobody = { keyId: null, keyName: null, personName: null, watchId: null, watchName: null }
  expect(await starters()).toEqual({
    'by key': { ...nobody, by: 'key', keyId, keyName: 'laptop' },
    'by person': { ...nobody, by: 'person' },
    'by watch': { ...nobody, ...byKey, by: 'watch', keyId: expect.any(String), watchId, watchName: 'by watch' },
  })
  await own().send('DELETE', `/api/v1/watches/${watchId}`)
  expect(await starters()).toMatchObject({ 'by watch': { by: 'watch', watchId, watchName: null } })
})

it('names a person until the account is deleted', async () => {
  const { accountId, client } = await live.service.createAccount()
  const ledger = ledgerOf(() => live.service.database)
  const ada = { keyId: null, personName: 'Ada' }
  await ledger.endCall(await ledger.startCall(accountId, 3, new Date(), ada), 2)
  const { results } = await list('', client)
  expect(results).toMatchObject([{ ...credits(3, 0, 2, 1), startedBy: { by: 'person', personName: 'Ada' } }])
  const entries = (await client.get('/api/v1/usage/entries')).body.data.results
  expect(entries.map(({ personName }: { personName: string }) => personName)).toEqual(['Ada', 'Ada', 'Ada'])
  const week = (await client.get('/api/v1/usage?weeks=1')).body.data.weeks[0].week
  const { spenders } = (await client.get(`/api/v1/usage?week=${week}`)).body.data
  expect(spenders.persons).toEqual([{ personName: 'Ada', keyId: null, held: 0, settled: 2 }])
  await admin().send('DELETE', `/api/admin/accounts/${accountId}`)
  const stored = live.service.database.selectFrom('credit_reservations').select('person_name')
  expect(await stored.where('account_id', '=', accountId).execute()).toEqual([{ person_name: null }])
})

it('is paged without a gap or a duplicate, by period, and the same for the operator', async () => {
  for (const topic of ['one', 'two', 'three', 'four', 'five']) await runJob(topic, 1)
  const all = (await list()).results
  const paged: unknown[] = []
  let page = await list('?limit=2')
  paged.push(...page.results)
  await runJob('later', 1)
  while (page.hasMore) {
    page = await list(`?limit=2&cursor=${page.cursor}`)
    paged.push(...page.results)
  }
  expect(paged).toEqual(all)
  const third = all[2].startedAt
  expect((await list(`?since=${third}`)).results).toHaveLength(4)
  expect((await list(`?until=${third}`)).results).toEqual(all.slice(3))
  const { weeks } = (await own().get('/api/v1/usage?weeks=2')).body.data
  // The test may begin in one week and end in the next.
  expect(weeks[0].settled + weeks[1].settled).toBe(12)
  const ofWeeks = await Promise.all(weeks.map(({ week }: { week: string }) => list(`?week=${week}`)))
  expect(ofWeeks.flatMap(({ results }) => results).toSorted(byId)).toEqual((await list()).results.toSorted(byId))
  const accountId = await accountOf()
  const { body } = await admin().get(`/api/admin/accounts/${accountId}/usage/collections?since=${weeks[0].from}`)
  expect(body.data).toEqual(await list())
  const other = (await live.service.createAccount()).client
  expect((await list('', other)).results).toEqual([])
  expect((await other.get(`/api/admin/accounts/${accountId}/usage/collections`)).status).toBe(401)
})

it.each([
  ['month=2026-11&since=2026-11-01', /^since: cannot stand beside month or week/],
  ['week=2026-W47&month=2026-11', /^week: cannot stand beside month/],
  ['week=2026-W47&until=2026-11-20', /^until: cannot stand beside month or week/],
  [`cursor=${Buffer.from('["collections",-1,"x"]').toString('base64url')}`, /^cursor: /],
])('?%s is refused', async (query, message) => {
  const { status, body } = await own().get(`/api/v1/usage/collections?${query}`)
  expect([status, body.error]).toEqual([400, expect.objectContaining({ message: expect.stringMatching(message) })])
})
