import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type PlatformSimulator, startPlatformSimulator } from '../../simulator/simulator.ts'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { sweepCalls } from '../../src/collecting/live/calls.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { openDatabase } from '../../src/database/open.ts'
import { startChildService } from '../child-service.ts'
import { createTestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'

// Holds (Live calls): a live call that delivers nothing costs nothing, also after `kill -9`

const apiKey = generateApiKey()
let simulator: PlatformSimulator
let fast: PlatformSimulator
let copy: DatabaseCopy

beforeAll(async () => {
  // Longer than it takes to kill the service.
  simulator = await startPlatformSimulator({ limits: 'none', latencyMs: 3_000, size: 100 })
  fast = await startPlatformSimulator({ limits: 'none', size: 100 })
})
beforeEach(async () => {
  copy = await copyDatabase()
})
afterEach(() => copy.remove())
afterAll(async () => {
  await simulator.stop()
  await fast.stop()
})

const start = (platforms = 'github') =>
  startChildService({
    DATA_DIR: copy.options.dataDir,
    DATABASE_URL: copy.options.databaseUrl,
    ADMIN_API_KEY: 'admin-key-of-the-crash-test',
    BOOTSTRAP_API_KEY: apiKey,
    LIVE_DEADLINE_SECONDS: '60',
    PLATFORMS: platforms,
    GITHUB_API_URL: simulator.urls.github,
    HACKERNEWS_API_URL: fast.urls.hackernews,
  })
const onCrash = (error: Error) => {
  throw error
}

/** On Postgres another process gives up a call when it is too old; the test does not wait so long. */
async function giveUp(): Promise<void> {
  const { database, close } = await openDatabase({ ...copy.options, onCrash })
  await sweepCalls(database, pino({ level: 'silent' }), new Date(), new Date(Date.now() + 3600_000))
  await close()
}

async function expectSound(): Promise<void> {
  const { database, close } = await openDatabase({ ...copy.options, onCrash })
  expect(await verifyLedger(database)).toEqual([])
  expect(await database.selectFrom('live_calls').selectAll().execute()).toEqual([])
  await close()
}

it('gives the credit of a live call back after kill -9, and its key is free', { timeout: 180_000 }, async () => {
  let service = await start()
  const client = createTestClient(() => service.url, apiKey)
  const used = async () => (await client.get('/api/v1/usage')).body.data.credits.used
  const search = () =>
    client.send('POST', '/api/v1/requests/search', {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'the-key' },
      body: JSON.stringify({ query: 'dark mode', expand: true }),
    })
  const lost = search().catch((error: unknown) => error)
  await expect.poll(() => simulator.requests.length, { timeout: 60_000 }).toBe(1)
  expect(await used()).toBe(1)
  await service.end('SIGKILL')
  expect(await lost).toBeInstanceOf(Error)

  if (copy.backend === 'postgres') await giveUp()
  service = await start()
  expect(await used()).toBe(0)
  // The collection continues: another call joins it or finds it fresh.
  const again = await search()
  expect([again.status, again.body.meta.errors, again.headers.get('idempotent-replayed')]).toEqual([200, [], null])
  expect(again.body.data.results.length).toBeGreaterThan(0)
  expect(await service.end('SIGTERM')).toBe(0)

  await expectSound()
})

it('keeps the credit of a live call that was delivered a page before kill -9, and its key gets the answer of it', {
  timeout: 180_000,
}, async () => {
  let service = await start('github,hackernews')
  const client = createTestClient(() => service.url, apiKey)
  const used = async () => (await client.get('/api/v1/usage')).body.data.credits.used
  const search = () =>
    client.send('POST', '/api/v1/requests/search', {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'the-key' },
      body: JSON.stringify({ query: 'offline sync', expand: true }),
    })
  const lost = search().catch((error: unknown) => error)
  const cached = async () => (await client.get('/api/v1/requests')).body.data.results.length
  // Of the fast platform; the call waits for the slow one.
  await expect.poll(cached, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0)
  await service.end('SIGKILL')
  expect(await lost).toBeInstanceOf(Error)

  if (copy.backend === 'postgres') await giveUp()
  service = await start('github,hackernews')
  expect(await used()).toBe(1)
  const answer = await search()
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, null])
  expect(answer.body.meta).toMatchObject({ topicsScraped: 1, errors: [{ platform: 'github', code: 'timeout' }] })
  expect(answer.body.data.results.length).toBeGreaterThan(0)
  const again = await search()
  expect([again.text, again.headers.get('idempotent-replayed'), await used()]).toEqual([answer.text, 'true', 1])
  expect(await service.end('SIGTERM')).toBe(0)
  await expectSound()
})
