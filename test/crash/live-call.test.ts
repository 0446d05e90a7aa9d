import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateApiKey } from '../../src/accounts/keys.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { openDatabase } from '../../src/database/open.ts'
import { sweepCalls } from '../../src/live/calls.ts'
import { startChildService } from '../child-service.ts'
import { createTestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../platform-simulator/simulator.ts'

const apiKey = generateApiKey()
let simulator: PlatformSimulator
let copy: DatabaseCopy

beforeAll(async () => {
  // Longer than it takes to kill the service.
  simulator = await startPlatformSimulator({ limits: 'none', latencyMs: 3_000, size: 100 })
  copy = await copyDatabase()
})
afterAll(async () => {
  await simulator.stop()
  await copy.remove()
})

const start = () =>
  startChildService({
    DATA_DIR: copy.options.dataDir,
    DATABASE_URL: copy.options.databaseUrl,
    ADMIN_API_KEY: 'admin-key-of-the-crash-test',
    BOOTSTRAP_API_KEY: apiKey,
    LIVE_DEADLINE_SECONDS: '60',
    PLATFORMS: 'github',
    GITHUB_API_URL: simulator.urls.github,
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

  if (copy.home === 'postgres') await giveUp()
  service = await start()
  expect(await used()).toBe(0)
  // The collection goes on, and whoever calls again joins it or finds it fresh.
  const again = await search()
  expect([again.status, again.body.meta.errors, again.headers.get('idempotent-replayed')]).toEqual([200, [], null])
  expect(again.body.data.results.length).toBeGreaterThan(0)
  expect(await service.end('SIGTERM')).toBe(0)

  const { database, close } = await openDatabase({ ...copy.options, onCrash })
  expect(await verifyLedger(database)).toEqual([])
  expect(await database.selectFrom('live_calls').selectAll().execute()).toEqual([])
  await close()
})
