import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/database/open.ts'
import { includesVersion } from '../src/database/postgres/answer-version.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePage } from '../src/requests/store/store.ts'
import { type Service, startService } from '../src/service.ts'
import { createTestClient, type TestClient } from './client.ts'
import { copyDatabase, type DatabaseCopy } from './database.ts'
import { type Replica, startReplica } from './replica.ts'
import { foundRequest } from './scripted-platform.ts'

// A service with a real streaming replica: it serves reads, and no answer is older than its call.

it('a version includes another one when no row is behind', () => {
  expect(includesVersion('1:5,2:7', '1:5,2:7')).toBe(true)
  expect(includesVersion('1:6,2:7,3:1', '1:5,2:7')).toBe(true)
  expect(includesVersion('1:9,2:6', '1:5,2:7')).toBe(false)
  expect(includesVersion('1:9', '1:5,2:7')).toBe(false)
  expect([includesVersion('', ''), includesVersion('1:1', ''), includesVersion('', '1:1')]).toEqual([true, true, false])
})

async function store(database: Database, topic: string, id: string): Promise<void> {
  const requests = [foundRequest(id, { title: `Please add ${topic} ${id}` })]
  const page = await preparePage('github', { requests }, null)
  const stored = { ...page, platform: 'github' as const, topic, jobId: null, markSeenBefore: null, now: new Date() }
  await database.transaction().execute((open) => storePage(open, stored))
}

describe.runIf(process.env.TEST_BACKEND === 'postgres')('a service with a replica', () => {
  const apiKey = generateApiKey()
  const unlimited = { ofTier: () => 1_000_000, polls: 1_000_000, withoutKey: 1_000_000 }
  let copy: DatabaseCopy
  let replica: Replica
  let service: Service
  let client: TestClient
  /** The statements that were sent to the replica. */
  let readOnReplica = 0
  const countStatements: KyselyPlugin = {
    transformQuery: ({ node }) => {
      readOnReplica++
      return node
    },
    transformResult: async ({ result }) => result,
  }

  const urls = () => ({
    DATABASE_URL: copy.options.databaseUrl ?? '',
    DATABASE_READ_URL: replica.url(new URL(copy.options.databaseUrl ?? '').pathname.slice(1)),
    ADMIN_API_KEY: 'admin-key-of-the-replica-test',
  })
  beforeAll(async () => {
    copy = await copyDatabase()
    replica = await startReplica(copy.options.databaseUrl ?? '')
    const config = readConfig({
      ...urls(),
      PORT: '0',
      BOOTSTRAP_API_KEY: apiKey,
      PLATFORMS: 'github',
      GITHUB_API_URL: 'http://127.0.0.1:1',
    })
    const failTest = (error: Error) => {
      throw error
    }
    service = await startService(config, pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }), failTest, {
      requestLimits: unlimited,
      placesRequests: false,
      open: async (options) => {
        const opened = await openDatabase(options)
        return { ...opened, replica: opened.replica?.withPlugin(countStatements) ?? null }
      },
    })
    client = createTestClient(() => service.address ?? '', apiKey)
  })
  afterEach(async () => {
    replica.thaw()
    await replica.resumeReplay()
  })
  afterAll(async () => {
    await service.stop()
    await replica.stop()
    await copy.remove()
  })

  const state = async () => (await client.get('/readyz')).body.replica?.state
  const listed = async (topic: string): Promise<number> =>
    (await client.get(`/api/v1/requests?limit=100&topic=${topic}`)).body.data.results.length
  const found = async (query: string): Promise<number> => (await client.search(query)).body.data.results.length
  const exported = async (topic: string): Promise<number> =>
    (await client.get(`/api/v1/requests/export?format=csv&topic=${topic}`)).text.trim().split('\n').length - 1
  /** Calls until the replica serves reads. */
  const used = () =>
    expect
      .poll(async () => {
        await found(`probe ${randomUUID()}`)
        return state()
      })
      .toBe('used')

  it('reads lists, searches, wishes and exports there, and sees every write at once', async () => {
    const { database } = service.database
    await used()
    for (let id = 1; id <= 20; id++) {
      await store(database, 'replicated', `replicated-${id}`)
      const counts = await Promise.all([listed('replicated'), found('replicated'), exported('replicated')])
      expect(counts).toEqual([id, id, id])
    }
    expect(readOnReplica).toBeGreaterThan(20)
    expect((await client.get('/api/v1/wishes?limit=5')).status).toBe(200)
  })

  it('sees the corrections of an account in its next answer', async () => {
    await used()
    await store(service.database.database, 'corrected', 'corrected-1')
    const requests = service.database.database.selectFrom('requests').select('id').where('topic', '=', 'corrected')
    const { id } = await requests.executeTakeFirstOrThrow()
    const path = `/api/v1/requests/${id}/correction`
    const headers = { 'content-type': 'application/json' }
    for (let round = 0; round < 10; round++) {
      const isRequest = round % 2 === 1
      const corrected = await client.send('PUT', path, { headers, body: JSON.stringify({ isRequest }) })
      expect(corrected.status).toBe(200)
      expect(await listed('corrected')).toBe(isRequest ? 1 : 0)
    }
  })

  it('reads from the primary what a lagging replica lacks, and from the replica once it has it', async () => {
    await used()
    await replica.pauseReplay()
    for (let id = 1; id <= 3; id++) {
      await store(service.database.database, 'lagging', `lagging-${id}`)
      expect(await Promise.all([listed('lagging'), found('lagging'), exported('lagging')])).toEqual([id, id, id])
    }
    expect(await state()).toBe('behind')
    const before = readOnReplica
    for (let call = 0; call < 20; call++) expect((await client.search(`lagging call${call}`)).status).toBe(200)
    // Probes only: no call waits for a replica that is known to be behind.
    expect(readOnReplica - before).toBeLessThan(20)
    await replica.resumeReplay()
    await used()
    expect(await listed('lagging')).toBe(3)
  })

  it('reads from the primary while the replica is away, and from the replica when it is back', async () => {
    await used()
    await replica.kill()
    for (let call = 0; call < 5; call++) {
      const answers = await Promise.all([client.search(`away call${call}`), client.get('/api/v1/requests?limit=3')])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
    }
    expect(await state()).toBe('away')
    await replica.start()
    await used()
  })

  it('answers within seconds while the replica stands still', async () => {
    await used()
    replica.freeze()
    const startedAt = performance.now()
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => client.search(`frozen call${index}`)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(await state()).toBe('away')
    replica.thaw()
    await used()
  })

  it('repeats on the primary a read that the replica ends for what it replays', async () => {
    await used()
    await store(service.database.database, 'conflict', 'conflict-1')
    const terminate = new pg.Client({ connectionString: urls().DATABASE_READ_URL })
    await terminate.connect()
    let ended = false
    const ending = (async () => {
      while (!ended) {
        await terminate.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'wishwell'",
        )
      }
    })()
    const calls = Array.from({ length: 60 }, (_, index) => client.search(`conflict call${index}`))
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]))
    ended = true
    await ending
    await terminate.end()
    await used()
  })

  it('has an index of the process that follows the primary, and searches at once what a lagging replica lacks', async () => {
    await used()
    await replica.pauseReplay()
    const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-index-'))
    const config = readConfig({ ...urls(), PORT: '0', PLATFORMS: 'github', SEARCH_ENGINE: 'local', DATA_DIR: dataDir })
    const second = await startService(config, pino({ level: 'silent' }), () => {}, { requestLimits: unlimited })
    const other = createTestClient(() => second.address ?? '', apiKey)
    const ready = async () => (await other.get('/readyz')).body
    await expect.poll(async () => (await ready()).searchIndex.state).toBe('ready')
    for (let id = 1; id <= 3; id++) {
      await store(service.database.database, 'followed', `followed-${id}`)
      const { data, meta } = (await other.search('followed')).body
      expect([data.results.length, meta.searchIndex]).toEqual([id, undefined])
    }
    expect(await ready()).toMatchObject({ search: 'local', replica: { state: 'behind' } })
    await second.stop()
    rmSync(dataDir, { recursive: true, force: true })
    await replica.resumeReplay()
    await used()
  })

  it('starts without its replica', async () => {
    await replica.kill()
    const config = readConfig({ ...urls(), PORT: '0', PLATFORMS: 'github' })
    const second = await startService(config, pino({ level: 'silent' }), () => {}, { requestLimits: unlimited })
    const other = createTestClient(() => second.address ?? '', apiKey)
    expect((await other.search('dark mode')).status).toBe(200)
    await second.stop()
    await replica.start()
  })
})
