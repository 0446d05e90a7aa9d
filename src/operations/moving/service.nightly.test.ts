import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestClient, type TestClient } from '../../../test/client.ts'
import { foundRequest, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { generateApiKey } from '../../accounts/api-key.ts'
import { openBrowser } from '../../accounts/sessions/testing.ts'
import { readConfig } from '../../app/config.ts'
import { startService } from '../../app/service.ts'
import { dumpOf, environmentOf, newDatabase, newDataDirectory, type Place, restoreInto } from './testing.ts'

// A team moves: the users of the service notice nothing but its new address.

const adminKey = 'admin-key-of-the-moving-test'
const apiKey = generateApiKey()

const subjects = ['dark mode', 'offline maps', 'csv export', 'keyboard shortcuts', 'two factor login', 'calendar sync']
const places = ['editor', 'sidebar', 'mobile app', 'settings', 'dashboard', 'command line', 'search', 'reader']

/** Requests with words in common, so that searches rank and wishes form. */
const requests = subjects.flatMap((subject, first) =>
  places.map((place, second) =>
    foundRequest(`${first}-${second}`, {
      title: second < 3 ? `Please add ${subject}` : `Please add ${subject} to the ${place}`,
      description: `I want ${subject} in the ${place}. ${'It would help a lot. '.repeat(second)}`,
      votes: (first * 13 + second * 7) % 40,
      tags: [place, subject.split(' ')[0] ?? ''],
    }),
  ),
)

const platforms = platformMap(
  scriptedPlatform('github', (_call, { cursor }) => {
    const page = typeof cursor === 'number' ? cursor : 0
    return { requests: requests.slice(page * 12, page * 12 + 12), nextCursor: page < 3 ? page + 1 : null }
  }),
)

async function start(place: Place) {
  const config = readConfig({
    ...environmentOf(place),
    PORT: '0',
    LOG_LEVEL: 'silent',
    ADMIN_API_KEY: adminKey,
    BOOTSTRAP_API_KEY: apiKey,
    PLATFORMS: 'github',
    GITHUB_API_URL: 'http://127.0.0.1:1',
  })
  const failTest = (error: Error) => {
    throw error
  }
  const service = await startService(config, pino({ level: 'silent' }), failTest, {
    platforms: { adapters: platforms },
    onDemand: new Set(['placing']),
  })
  onTestFinished(() => service.stop())
  const url = () => service.address ?? ''
  return { service, url, client: createTestClient(url, apiKey), admin: createTestClient(url, adminKey) }
}

/** The answers of a service that must be the same after moving. */
async function readAnswers(client: TestClient, admin: TestClient) {
  const data = async (path: string) => (await client.get(path)).body.data
  return {
    requests: await data('/api/v1/requests?limit=100&sortBy=votes'),
    topics: await data('/api/v1/topics'),
    wishes: await data('/api/v1/wishes?limit=100'),
    corrections: await data('/api/v1/corrections/requests'),
    wishCorrections: await data('/api/v1/corrections/wishes'),
    usage: await data('/api/v1/usage'),
    jobs: await data('/api/v1/scrape'),
    accounts: (await admin.get('/api/admin/accounts')).body.data,
    byVotes: (await client.search('dark mode', { sortBy: 'votes', limit: 50 })).body,
  }
}

const readSearches = async (client: TestClient) => {
  const queries = [...subjects, 'please add', 'help editor', '"offline maps" reader', 'calender', 'short -keyboard']
  const answers = await Promise.all(queries.map((query) => client.search(query, { limit: 50 })))
  return answers.map(({ body }) =>
    body.data.results.map(({ _id, score }: { _id: string; score: number }) => [_id, score]),
  )
}

describe('a service', () => {
  it('gives the same answers after moving, to the same keys and sessions', { timeout: 120_000 }, async () => {
    const source = newDataDirectory()
    const first = await start(source)
    const { body } = await first.client.scrape({ topic: 'apps', platforms: ['github'], depth: 4 })
    await first.client.waitForJob(body.data.jobId)
    await first.service.placeRequests()
    const [wish, other] = (await first.client.get('/api/v1/wishes?limit=2')).body.data.results
    const json = { 'content-type': 'application/json' }
    const put = (path: string, value: object) =>
      first.client.send('PUT', path, { headers: json, body: JSON.stringify(value) })
    expect((await put(`/api/v1/wishes/${wish.wishId}/mark`, { mark: 'planned', note: 'soon' })).status).toBe(200)
    const corrected = (await first.client.get('/api/v1/requests?limit=1')).body.data.results[0]
    const correction = { requestId: corrected._id, isRequest: false }
    expect((await first.client.post('/api/v1/corrections/requests', correction)).status).toBe(200)
    const merge = { kind: 'merge', wishId: wish.wishId, otherWishId: other.wishId }
    const merged = await first.client.post('/api/v1/corrections/wishes', merge)
    expect(merged.status).toBe(200)
    let url = first.url
    const browser = openBrowser(() => url())
    expect((await browser.signIn({ apiKey })).status).toBe(200)
    await first.service.runMaintenance()
    const answers = await readAnswers(first.client, first.admin)
    expect(answers.wishes.results.length).toBeGreaterThan(3)
    expect(answers.usage).toMatchObject({ credits: { used: expect.any(Number) } })
    const searches = await readSearches(first.client)
    expect(searches.filter((results) => results.length > 0).length).toBeGreaterThan(8)
    await first.service.stop()

    const middle = await newDatabase()
    await restoreInto(middle, (await dumpOf(source)).dump)
    const second = await start(middle)
    expect(await readAnswers(second.client, second.admin)).toEqual(answers)
    const found = await readSearches(second.client)
    const idsOf = (results: [string, number][]) => results.map(([id]) => id).sort()
    expect(found.map(idsOf)).toEqual(searches.map(idsOf))
    expect((await second.admin.get('/api/admin/verify')).body.data).toEqual({ differences: [] })
    await second.service.stop()

    const last = newDataDirectory()
    await restoreInto(last, (await dumpOf(middle)).dump)
    const third = await start(last)
    expect(await readAnswers(third.client, third.admin)).toEqual(answers)
    // The same engine gives the same order and scores.
    expect(await readSearches(third.client)).toEqual(searches)
    url = third.url
    expect((await browser.call('GET', '/api/v1/usage')).status).toBe(200)
    // And it goes on: the next job is the next job, the next entry of the ledger the next one.
    const again = await third.client.scrape({ topic: 'more apps', platforms: ['github'], depth: 2 })
    expect((await third.client.waitForJob(again.body.data.jobId)).status).toBe('completed')
    expect((await third.admin.get('/api/admin/verify')).body.data).toEqual({ differences: [] })
  })
})
