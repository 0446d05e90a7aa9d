import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PlatformSimulator, startPlatformSimulator } from '../../simulator/simulator.ts'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { type ChildService, startChildService } from '../child-service.ts'
import { type Answer, createTestClient, type TestClient } from '../client.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'

// Holds (Data): a Postgres that stops responding blocks no call and loses nothing

// A Postgres that stands still: it takes connections and statements, and answers nothing.

/** From the issue: no call hangs for longer, whatever the database does. */
const longestAnswerMs = 10_000
const adminKey = 'admin-key-of-the-frozen-test'
const apiKey = generateApiKey()

/** The processes of a Postgres: its first one, and all that it started. */
async function processesOf(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const parentOf = (pid: number | string) =>
    Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  const first = parentOf(rows[0]?.pid ?? 0)
  await client.end()
  const children = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && parentOf(name) === first
    } catch {
      // It has ended meanwhile.
      return false
    }
  })
  return [first, ...children.map(Number)]
}

/** @returns the function that lets it go on. */
async function freeze(url: string): Promise<() => void> {
  const processes = await processesOf(url)
  for (const pid of processes) {
    try {
      process.kill(pid, 'SIGSTOP')
    } catch {
      // The connection that asked for the processes.
    }
  }
  return () => {
    for (const pid of processes) {
      try {
        process.kill(pid, 'SIGCONT')
      } catch {
        // As above.
      }
    }
  }
}

describe('while Postgres stands still', () => {
  let postgres: PostgresServer
  let simulator: PlatformSimulator
  let service: ChildService
  let client: TestClient
  let thaw = () => {}
  const url = () => postgres.url('frozen')

  const start = () =>
    startChildService({
      DATABASE_URL: url(),
      ADMIN_API_KEY: adminKey,
      BOOTSTRAP_API_KEY: apiKey,
      ...simulator.environment,
      PLATFORMS: 'github,hackernews',
    })
  beforeAll(async () => {
    simulator = await startPlatformSimulator({ limits: 'none', latencyMs: 50, size: 60 })
    postgres = await startPostgres()
    await postgres.createDatabase('frozen')
    service = await start()
    client = createTestClient(() => service.url, apiKey)
  })
  afterAll(async () => {
    thaw()
    await service.end('SIGKILL')
    await postgres.stop()
    await simulator.stop()
  })

  const adminHeaders = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  const spend = (key: string): Promise<Answer> =>
    client.send('POST', '/api/v1/scrape', {
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ topic: key, depth: 1 }),
    })
  const calls: Record<string, () => Promise<Answer>> = {
    list: () => client.get('/api/v1/requests?topic=dark+mode'),
    search: () => client.search('dark mode'),
    'live list': () => client.get('/api/v1/requests?source=realtime&topic=offline+sync'),
    'expanded search': () => client.search('csv export', { expand: true }),
    usage: () => client.get('/api/v1/usage'),
    spend: () => spend('spent-meanwhile'),
    admin: () => client.send('GET', '/api/admin/accounts', { headers: adminHeaders }),
    readiness: () => client.get('/readyz'),
  }

  /** All kinds of calls at once. @returns the answers, and the maximum time of a call. */
  async function callAll() {
    const startedAt = performance.now()
    const timings: Record<string, number> = {}
    const answers = await Promise.all(
      Object.entries(calls).map(async ([name, call]) => {
        const { status } = await call()
        timings[name] = Math.round(performance.now() - startedAt)
        return [name, status] as const
      }),
    )
    console.log(JSON.stringify(timings))
    return { statuses: Object.fromEntries(answers), timings, longestMs: Math.max(...Object.values(timings)) }
  }
  const allUnavailable = Object.fromEntries(Object.keys(calls).map((name) => [name, 503]))
  const isReady = async () => (await client.get('/readyz')).status === 200
  const verify = async () => (await client.send('GET', '/api/admin/verify', { headers: adminHeaders })).body.data

  it('every call is answered within seconds, and afterwards everything goes on and nothing is lost', {
    timeout: 240_000,
  }, async () => {
    // Calls of all kinds, so that connections are there and idle.
    expect((await callAll()).statuses).toMatchObject({ list: 200, search: 200, spend: 200, readiness: 200 })
    const before = await spend('begun-before')
    expect(before.status).toBe(200)
    thaw = await freeze(url())
    // On open connections, while queued for one, and after the silence was noticed.
    const rounds = [callAll(), sleep(1_500, null).then(callAll), sleep(9_000, null).then(callAll)]
    const crowd = Promise.all(Array.from({ length: 60 }, () => client.search('dark mode')))
    const startedAt = performance.now()
    // A new key: the answer does not say whether the effect happened.
    const unsure = await Promise.all(['unsure-1', 'unsure-2', 'unsure-3'].map(spend))
    expect(unsure.map(({ status }) => status)).toEqual([503, 503, 503])
    expect((await crowd).filter(({ status }) => status !== 503)).toEqual([])
    expect(performance.now() - startedAt).toBeLessThan(longestAnswerMs)
    for (const { statuses, timings, longestMs } of await Promise.all(rounds)) {
      expect(statuses).toEqual(allUnavailable)
      expect(longestMs).toBeLessThan(longestAnswerMs)
      expect(timings.readiness).toBeLessThan(5_000)
    }
    thaw()
    const thawedAt = performance.now()
    await expect.poll(isReady, { timeout: 30_000, interval: 100 }).toBe(true)
    console.log(`ready ${Math.round(performance.now() - thawedAt)} ms after it went on`)
    const again = await Promise.all(['begun-before', 'unsure-1', 'unsure-2', 'unsure-3', 'unsure-1'].map(spend))
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const jobIds = again.map(({ body }) => body.data.jobId)
    expect(jobIds[0]).toBe(before.body.data.jobId)
    expect(jobIds[4]).toBe(jobIds[1])
    for (const jobId of jobIds) expect(await client.waitForJob(jobId, 60_000)).toMatchObject({ status: 'completed' })
    // One job a key, and one for the call before.
    const { body } = await client.get('/api/v1/scrape?limit=100')
    const topics = body.data.results.map(({ topic }: { topic: string }) => topic).sort()
    expect(topics).toEqual(['begun-before', 'spent-meanwhile', 'unsure-1', 'unsure-2', 'unsure-3'])
    expect(await verify()).toEqual({ differences: [] })
  })

  it('SIGTERM ends the process within seconds, and the next one starts with a consistent database', {
    timeout: 120_000,
  }, async () => {
    const underWay = await Promise.all(['stopped-1', 'stopped-2'].map(spend))
    thaw = await freeze(url())
    const startedAt = performance.now()
    const exitCode = await service.end('SIGTERM')
    const tookMs = Math.round(performance.now() - startedAt)
    console.log(`SIGTERM: exit code ${exitCode} after ${tookMs} ms`, service.stderr().slice(-600))
    expect(service.stderr()).toContain('the shutdown failed')
    expect([exitCode, tookMs < 15_000]).toEqual([1, true])
    await expect(start()).rejects.toThrow(/ended with 1: *wishwell: The database cannot be reached/)
    thaw()
    service = await start()
    for (const { body } of underWay) {
      expect(await client.waitForJob(body.data.jobId, 60_000)).toMatchObject({ status: 'completed' })
    }
    expect(await verify()).toEqual({ differences: [] })
  })
})
