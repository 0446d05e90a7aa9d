import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PlatformSimulator, startPlatformSimulator } from '../simulator/simulator.ts'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { openDatabase } from '../src/database/open.ts'
import { receivesNotifications } from '../src/database/postgres/notification-check.ts'
import { type ChildService, startChildService } from './child-service.ts'
import { createTestClient, type TestClient } from './client.ts'
import { copyDatabase, type DatabaseCopy } from './database.ts'
import { findPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'

// Holds (Data): everything works behind PgBouncer in transaction mode, and its restart loses and duplicates nothing

// A service behind PgBouncer in transaction mode: any statement may run on any connection.

const program = findPgBouncer()

const adminKey = 'admin-key-of-the-pooler-test'
const apiKey = generateApiKey()
const onCrash = (error: Error) => {
  throw error
}

describe.runIf(program !== null)('behind PgBouncer in transaction mode', () => {
  let copy: DatabaseCopy
  let pooler: PgBouncer
  let simulator: PlatformSimulator
  let service: ChildService | undefined
  let client: TestClient
  const directUrl = () => copy.options.databaseUrl ?? ''
  const pooledUrl = () => pooler.url(new URL(directUrl()).pathname.slice(1))
  const environment = () => ({
    DATABASE_URL: pooledUrl(),
    DATABASE_LISTEN_URL: directUrl(),
    ADMIN_API_KEY: adminKey,
    BOOTSTRAP_API_KEY: apiKey,
    ...simulator.environment,
    PLATFORMS: 'github,hackernews',
  })

  beforeAll(async () => {
    copy = await copyDatabase()
    simulator = await startPlatformSimulator({ limits: 'none', latencyMs: 20, size: 60 })
    pooler = await startPgBouncer(program ?? '', directUrl())
    service = await startChildService(environment())
    client = createTestClient(() => service?.url ?? '', apiKey)
  })
  afterAll(async () => {
    await service?.end('SIGKILL')
    await pooler.stop()
    await simulator.stop()
    await copy.remove()
  })
  const verify = async () => {
    const headers = { authorization: `Bearer ${adminKey}` }
    return (await client.send('GET', '/api/admin/verify', { headers })).body.data
  }
  const collect = async (topic: string) => {
    const { status, body } = await client.scrape({ topic, platforms: ['github', 'hackernews'], depth: 2 })
    expect(status).toBe(200)
    return client.waitForJob(body.data.jobId, 60_000)
  }

  it('jobs run, answers are found and cached, spending counts once, and the ledger is clean', async () => {
    expect(await collect('dark mode')).toMatchObject({ status: 'completed' })
    const found = await client.search('dark mode')
    expect(found.body.data.results.length).toBeGreaterThan(0)
    const calls = Array.from({ length: 60 }, (_, index) =>
      index % 2 ? client.search(`dark mode ${index % 7}`) : client.get('/api/v1/requests?limit=100'),
    )
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]))
    const spend = () =>
      client.send('POST', '/api/v1/scrape', {
        headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: JSON.stringify({ topic: 'once', depth: 1 }),
      })
    const spent = await Promise.all(Array.from({ length: 8 }, spend))
    expect(new Set(spent.map(({ body }) => body.data.jobId)).size).toBe(1)
    await client.waitForJob(spent[0]?.body.data.jobId, 60_000)
    expect(await verify()).toEqual({ differences: [] })
    expect(service?.stderr()).not.toContain('do not arrive')
  })

  it('a transaction has its time limits, and leaves none on the connections of others', async () => {
    const { databaseUrl, dataDir } = { ...copy.options, databaseUrl: pooledUrl() }
    const opened = await openDatabase({
      databaseUrl,
      dataDir,
      listenUrl: directUrl(),
      statementTimeoutMs: 300,
      onCrash,
    })
    const limits = async (executor: typeof opened.database) =>
      (
        await sql<{ statement: string; idle: string }>`
        select current_setting('statement_timeout') as statement,
          current_setting('idle_in_transaction_session_timeout') as idle`.execute(executor)
      ).rows[0]
    await opened.database.transaction().execute(async (open) => {
      expect(await limits(open)).toEqual({ statement: '300ms', idle: '10s' })
    })
    const others = await Promise.all(Array.from({ length: 20 }, () => limits(opened.database)))
    expect(new Set(others.map((limit) => limit?.statement))).toEqual(new Set(['0']))
    const slow = opened.database.transaction().execute((open) => sql`select pg_sleep(20)`.execute(open))
    await expect(slow).rejects.toMatchObject({ code: '57014' })
    await opened.close()
  })

  it('notifications arrive by the address of Postgres, and a pooler at that address is noticed', async () => {
    const open = (listenUrl: string) => openDatabase({ ...copy.options, databaseUrl: pooledUrl(), listenUrl, onCrash })
    const direct = await open(directUrl())
    expect(await receivesNotifications(direct)).toBe(true)
    await direct.close()
    const pooled = await open(pooledUrl())
    expect(await receivesNotifications(pooled)).toBe(false)
    await pooled.close()
  })

  it('a start without DATABASE_LISTEN_URL ends with a sentence that names it', async () => {
    const { DATABASE_LISTEN_URL: _address, ...without } = environment()
    await expect(startChildService(without)).rejects.toThrow(
      /ended with 1: *wishwell: .*DATABASE_URL is a pooler.*DATABASE_LISTEN_URL/s,
    )
  })

  it('a restart of the pooler loses and doubles nothing, and the service goes on', async () => {
    const { body } = await client.scrape({ topic: 'csv export', platforms: ['github', 'hackernews'], depth: 4 })
    await pooler.restart()
    await expect.poll(async () => (await client.get('/readyz')).status).toBe(200)
    await expect.poll(async () => (await client.search('dark mode')).status).toBe(200)
    expect(await client.waitForJob(body.data.jobId, 120_000)).toMatchObject({ status: 'completed' })
    expect(await collect('after the restart')).toMatchObject({ status: 'completed' })
    expect(await verify()).toEqual({ differences: [] })
  })
})
