import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'
import { openDatabase } from '../src/database/open.ts'
import { describeConnectionUse } from '../src/database/postgres/connection-use.ts'
import { startChildService } from './child-service.ts'
import { createTestClient } from './client.ts'
import { copyDatabase } from './database.ts'
import { numberedPages, platformMap, scriptedPlatform } from './scripted-platform.ts'
import { startTestService, type TestService } from './service.ts'

// Holds (Data): a process respects its connection limit and replaces a lost listener without a gap
// Holds (Data): a Postgres without free connections delays calls or causes 503s until it has room

// Takes seconds: calls wait eight seconds for a connection, as in the product.

// How many connections a process opens to Postgres, and what happens when there are none or they are lost.

const platforms = platformMap(scriptedPlatform('github', numberedPages(3)))
const onCrash = (error: Error) => {
  throw error
}

/** The connections of a database by the name that their process gave them. */
async function connectionsOf(url: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' })
  await client.connect()
  const { rows } = await client
    .query<{ name: string; count: number }>(
      `select application_name as name, count(*)::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() group by 1`,
    )
    .finally(() => client.end())
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

const terminate = (name: string) => sql`
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = ${name}`

describe('the connections of a process', () => {
  let service: TestService
  let log = ''
  const url = () => service.config.databaseUrl ?? ''

  beforeAll(async () => {
    service = await startTestService({
      platforms,
      placesRequests: true,
      environment: { DATABASE_POOL_SIZE: '3', DATABASE_QUEUE_POOL_SIZE: '2' },
      log: pino(
        new Writable({
          write: (line, _encoding, done) => {
            log += String(line)
            done()
          },
        }),
      ),
    })
  })
  afterAll(() => service.stop())

  it('are no more than configured, however many calls and jobs run', async () => {
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 3 })
    const calls = Array.from({ length: 60 }, (_, index) => service.client.search(`setting ${index}`))
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(await service.client.waitForJob(body.data.jobId)).toMatchObject({ status: 'completed' })
    const open = await connectionsOf(url())
    expect(open.wishwell).toBeLessThanOrEqual(3)
    expect(open['wishwell-queue']).toBeLessThanOrEqual(2)
    expect(open).toMatchObject({ 'wishwell-listen': 1, 'wishwell-pulse': 1 })
  })

  it('are in the log at the start', () => {
    const line = log.split('\n').find((text) => text.includes('connections of Postgres are open')) ?? ''
    expect(JSON.parse(line)).toMatchObject({ connections: { processes: 1, neededByProcess: 7 } })
  })

  it('that listen are replaced when they are lost, for every channel and for the queue', async () => {
    const received: Record<string, (string | null)[]> = { first: [], second: [] }
    for (const [channel, payloads] of Object.entries(received)) {
      await service.opened.listen(channel, (payload) => payloads.push(payload))
    }
    expect(received).toEqual({ first: [null], second: [null] })
    await terminate('wishwell-listen').execute(service.database)
    // Null: notifications may have been missed.
    await expect.poll(() => received).toEqual({ first: [null, null], second: [null, null] })
    await sql`select pg_notify('first', 'a'), pg_notify('second', 'b')`.execute(service.database)
    await expect.poll(() => received).toEqual({ first: [null, null, 'a'], second: [null, null, 'b'] })
    expect((await connectionsOf(url()))['wishwell-listen']).toBe(1)
    const { body } = await service.client.scrape({ topic: 'after the loss', platforms: ['github'], depth: 1 })
    expect(await service.client.waitForJob(body.data.jobId)).toMatchObject({ status: 'completed' })
  })

  it('end with the process', async () => {
    const copy = await copyDatabase()
    const opened = await openDatabase({ ...copy.options, onCrash })
    const stop = await opened.listen('channel', () => {})
    await sql`select 1`.execute(opened.database)
    expect(await connectionsOf(copy.options.databaseUrl ?? '')).toMatchObject({ 'wishwell-listen': 1 })
    await stop()
    await expect.poll(() => connectionsOf(copy.options.databaseUrl ?? '')).not.toHaveProperty('wishwell-listen')
    await opened.close()
    await expect.poll(() => connectionsOf(copy.options.databaseUrl ?? '')).toEqual({})
    await copy.remove()
  })
})

it('a start warns when the processes can need more connections than Postgres has', () => {
  const use = { available: 97, open: 60, processes: 6, neededByProcess: 16 }
  expect(describeConnectionUse({ ...use, needed: 97 })).toMatchObject({ fits: true })
  expect(describeConnectionUse({ ...use, needed: 98 })).toEqual({
    fits: false,
    text:
      'Postgres allows 97 connections, but 6 processes with up to 16 each, and other clients, need 98. ' +
      'Lower DATABASE_POOL_SIZE, raise max_connections, or use PgBouncer (docs/operating.md).',
  })
})

/** Starts a Postgres with few connections in a process of its own, which ends with 7 when it is told to stop. */
async function startSmallPostgres() {
  const program = `
    import { once } from 'node:events'
    import { startPostgres } from ${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)}
    const server = await startPostgres({ settings: ['max_connections=20'] })
    await server.createDatabase('full')
    process.send(server.url('full'))
    await Promise.race([once(process, 'message'), once(process, 'disconnect')])
    await server.stop()
    if (process.connected) process.disconnect()
    process.exitCode = 7`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module']
  const child = spawn(process.execPath, [...flags, '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const started = await Promise.race([once(child, 'message').then(([url]) => String(url)), ended.then(() => null)])
  if (started === null) throw new Error('Postgres did not start')
  return {
    url: started,
    stop: () => {
      if (child.connected) child.send('stop')
      return ended
    },
  }
}

describe('a Postgres whose connections are all taken', () => {
  let postgres: Awaited<ReturnType<typeof startSmallPostgres>>
  const taken: pg.Client[] = []
  const apiKey = generateApiKey()
  const environment = () => ({
    DATABASE_URL: postgres.url,
    ADMIN_API_KEY: 'admin-key-of-the-full-test',
    BOOTSTRAP_API_KEY: apiKey,
    DATABASE_POOL_SIZE: '6',
  })
  beforeAll(async () => {
    postgres = await startSmallPostgres()
  })
  afterAll(async () => {
    await Promise.all(taken.map((client) => client.end()))
    await postgres.stop()
  })

  async function takeAll(): Promise<void> {
    for (;;) {
      const client = new pg.Client({ connectionString: postgres.url })
      client.on('error', () => {})
      try {
        await client.connect()
        taken.push(client)
      } catch {
        return
      }
    }
  }

  it('delays or refuses calls with a 503, refuses a second process in a sentence, and is used again when it has room', async () => {
    const log = pino({ level: 'silent' })
    const service = await startService(readConfig({ ...environment(), PORT: '0' }), log, onCrash)
    onTestFinished(() => service.stop())
    const client = createTestClient(() => service.address ?? '', apiKey)
    // The service opens all connections of its pool: with fewer, chance would decide whether a call gets one before the next is refused.
    const first = await Promise.all(Array.from({ length: 40 }, (_, index) => client.search(`dark mode ${-index}`)))
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]))
    await takeAll()
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => client.search(`dark mode ${index}`)))
    for (const { status } of answers) expect([200, 503]).toContain(status)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    // A connection that the service closes meanwhile, since it is idle, must not become the second one's.
    let isTaking = true
    const taking = (async () => {
      for (; isTaking; await sleep(100)) await takeAll()
    })()
    await expect(startChildService(environment())).rejects.toThrow(/ended with 1: *wishwell: .*too many clients/)
    isTaking = false
    await taking
    await Promise.all(taken.splice(0).map((connection) => connection.end()))
    await expect.poll(async () => (await client.get('/readyz')).status).toBe(200)
    const again = await Promise.all(Array.from({ length: 40 }, (_, index) => client.search(`light mode ${index}`)))
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
  })

  // Where tests of the Postgres backend fail, the whole run must fail.
  it('leaves its exit code to the process that ran it', async () => {
    expect(await postgres.stop()).toEqual([7, null])
  })
})
