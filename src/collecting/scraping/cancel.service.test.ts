import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { openEvents, type ReadEvent } from '../../../test/event-reader.ts'
import { numberedPages, type Script, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Platform } from '../../platforms/platform.ts'
import { PlannedWaitError } from '../../platforms/platform.ts'

// Holds (Jobs): cancelling at any moment charges exactly the stored pages
// Holds (Jobs): cancelling aborts a running fetch at once, even in another process

// Takes seconds: a round is a whole job that is cancelled.

const platforms = new Map<PlatformName, Platform>()
let service: TestService

function play(name: PlatformName, script: Script) {
  const platform = scriptedPlatform(name, script)
  platforms.set(name, platform)
  return platform.calls
}
const start = async (body: Record<string, unknown>): Promise<string> =>
  (await service.client.scrape({ topic: 'dark mode', ...body })).body.data.jobId
const cancel = (jobId: string) => service.client.send('DELETE', `/api/v1/scrape/${jobId}`)
const creditsUsed = async () => (await service.client.get('/api/v1/usage')).body.data.credits.used
const queueIsIdle = () =>
  expect
    .poll(async () => {
      const open = sql`select 1 from pgboss.job where name = 'scrape-task' and state < 'completed'`
      return (await open.execute(service.database)).rows
    })
    .toEqual([])
const cancelled = (platform: PlatformName) => ({ platform, code: 'cancelled', message: 'The job was cancelled.' })

/** A fetch that never answers and ends only when it is aborted. */
const hang = ({ signal }: { signal: AbortSignal }) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterEach(async () => {
  expect(await verifyLedger(service.database)).toEqual([])
  await service.reset()
})
afterAll(() => service.stop())

describe('cancelling a job', () => {
  it('before it begins ends it at once, at no cost', async () => {
    const calls = play('github', (_call, request) => hang(request))
    const others = play('stackexchange', (_call, request) => hang(request))
    const platforms = ['github', 'stackexchange']
    const running = await Promise.all(Array.from({ length: 5 }, () => start({ platforms })))
    await expect.poll(() => calls.length + others.length, { timeout: 30_000 }).toBe(10)
    const other = play('hackernews', numberedPages(1))
    const jobId = await start({ platforms: ['hackernews'], depth: 3 })
    const events = await openEvents(service, jobId)
    expect(await creditsUsed()).toBe(13)
    const answer = await cancel(jobId)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
      jobId,
      status: 'failed',
      error: 'The account cancelled the job.',
      topic: 'dark mode',
      platforms: ['hackernews'],
      depth: 3,
      progress: { hackernews: 'skipped' },
      requestsCreated: 0,
      maybeCreated: 0,
      tasks: [
        {
          platform: 'hackernews',
          pages: 0,
          requestsFound: 0,
          requestsCreated: 0,
          maybeCreated: 0,
          discarded: {},
        },
      ],
      credits: { held: 0, settled: 0 },
      startedBy: {
        keyId: expect.any(String),
        keyName: 'BOOTSTRAP_API_KEY',
        personName: null,
        watchId: null,
        watchName: null,
      },
      startedAt: null,
      completedAt: expect.any(String),
      errors: [cancelled('hackernews')],
    })
    expect(await creditsUsed()).toBe(10)
    const sent = await events.rest()
    expect(sent.map(({ event, data }) => [event, data.state ?? data.status])).toEqual([
      ['platform', 'pending'],
      ['platform', 'skipped'],
      ['end', 'failed'],
    ])
    for (const id of running) await cancel(id)
    await queueIsIdle()
    expect(other).toEqual([])
    expect(await creditsUsed()).toBe(0)
  })

  it('during a fetch aborts the fetch and charges the pages that were delivered', async () => {
    const calls = play('github', (call, request) => (call < 2 ? numberedPages(9)(call, request) : hang(request)))
    play('hackernews', numberedPages(1))
    const jobId = await start({ platforms: ['github', 'hackernews'], depth: 5 })
    const events = await openEvents(service, jobId)
    await events.until(({ data }) => data.platform === 'github' && data.pages === 2)
    await expect.poll(() => calls.length).toBe(3)
    await expect
      .poll(async () => (await service.client.get(`/api/v1/scrape/${jobId}`)).body.data.progress)
      .toEqual({
        github: 'running',
        hackernews: 'done',
      })
    const { data } = (await cancel(jobId)).body
    expect(data).toMatchObject({ status: 'failed', progress: { github: 'skipped', hackernews: 'done' } })
    expect(data.errors).toEqual([cancelled('github')])
    await expect.poll(() => calls[2]?.signal.aborted).toBe(true)
    expect((await events.rest()).at(-1)).toMatchObject({ event: 'end', data })
    await queueIsIdle()
    expect(await creditsUsed()).toBe(3)
    expect((await service.client.get(`/api/v1/scrape/${jobId}`)).body.data).toEqual(data)
  })

  it('frees the worker although an adapter ignores the signal', async () => {
    const answer = Promise.withResolvers<void>()
    const calls = play('github', async (call, request) => {
      await answer.promise
      return numberedPages(1)(call, request)
    })
    const jobId = await start({ platforms: ['github'] })
    await expect.poll(() => calls.length).toBe(1)
    await cancel(jobId)
    await queueIsIdle()
    // A page that is delivered after the cancellation is dropped.
    answer.resolve()
    await sleep(0)
    expect((await service.client.get('/api/v1/requests')).body.data.results).toEqual([])
    expect(await creditsUsed()).toBe(0)
  })

  it('while it waits for its platform ends it at once', async () => {
    play('github', (call, request) => {
      if (call === 1) throw new PlannedWaitError('rate_limited', 'wait', new Date(Date.now() + 60_000))
      return numberedPages(9)(call, request)
    })
    const jobId = await start({ platforms: ['github'], depth: 5 })
    const events = await openEvents(service, jobId)
    await events.until(({ data }) => data.waitingUntil !== null)
    expect((await cancel(jobId)).body.data.status).toBe('failed')
    const [last, end] = await events.rest()
    expect([last?.data, end?.event]).toEqual([
      {
        platform: 'github',
        state: 'skipped',
        pages: 1,
        requestsFound: 2,
        requestsCreated: 2,
        maybeCreated: 0,
        discarded: {},
        waitingUntil: null,
        error: { code: 'cancelled', message: 'The job was cancelled.' },
      },
      'end',
    ])
    expect(await creditsUsed()).toBe(1)
  })

  it('that has ended, or was cancelled before, changes nothing and returns the job as it is', async () => {
    play('github', numberedPages(1))
    const done = await service.client.waitForJob(await start({ platforms: ['github'] }))
    expect((await cancel(done.jobId)).body.data).toEqual(done)
    expect(await creditsUsed()).toBe(1)
    play('github', (_call, request) => hang(request))
    const jobId = await start({ platforms: ['github'] })
    const answers = await Promise.all([cancel(jobId), cancel(jobId), cancel(jobId)])
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await creditsUsed()).toBe(1)
  })

  it('of another account is answered like a job that does not exist', async () => {
    play('github', (_call, request) => hang(request))
    const jobId = await start({ platforms: ['github'] })
    const stranger = (await service.createAccount()).client
    const theirs = await stranger.send('DELETE', `/api/v1/scrape/${jobId}`)
    const missing = await stranger.send('DELETE', '/api/v1/scrape/00000000-0000-4000-8000-000000000000')
    expect(theirs.status).toBe(404)
    expect(theirs.body).toEqual(missing.body)
    expect((await stranger.send('DELETE', '/api/v1/scrape/nonsense')).body).toEqual(missing.body)
    expect((await stranger.get(`/api/v1/scrape/${jobId}/events`)).body).toEqual(missing.body)
    expect((await service.client.get(`/api/v1/scrape/${jobId}`)).body.data.completedAt).toBeNull()
    await cancel(jobId)
  })
})

describe('cancelling at any moment', () => {
  it('charges exactly the pages that were stored, and stores each page whole or not at all', {
    timeout: 120_000,
  }, async () => {
    const rounds = campaignSize('CANCEL_ROUNDS', { quick: 8, nightly: 50 })
    const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 1e6))
    console.log(`cancelling after random pages (TEST_SEED=${seed})`)
    let state = seed
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
    // Every page has requests of its own, so that those of a job count its pages.
    for (const name of ['github', 'hackernews', 'stackexchange'] as const) play(name, numberedPages(6, 3))
    for (let round = 0; round < rounds; round++) {
      const before = await creditsUsed()
      const jobId = await start({ platforms: ['github', 'hackernews', 'stackexchange'], depth: 6 })
      const events = await openEvents(service, jobId)
      expect([round, events.status]).toEqual([round, 200])
      const pagesBefore = random(19)
      const pagesOf = new Map<string, number>()
      const sum = () => [...pagesOf.values()].reduce((one, other) => one + other, 0)
      const isMoment = ({ event, data }: ReadEvent) => {
        if (event === 'platform') pagesOf.set(data.platform, data.pages)
        return event === 'end' || sum() >= pagesBefore
      }
      const moment = await events.until(isMoment)
      const { data } = (await cancel(jobId)).body
      expect(data.completedAt).not.toBeNull()
      const end = moment.event === 'end' ? moment : (await events.rest()).at(-1)
      expect(end).toMatchObject({ event: 'end', data })
      await queueIsIdle()
      const { rows } = await sql<{ pages: number; found: number; linked: number }>`
        select sum(pages)::integer as pages, sum(requests_found)::integer as found,
          (select count(*)::integer from scrape_job_requests where job_id = ${jobId}) as linked
        from scrape_tasks where job_id = ${jobId}`.execute(service.database)
      const [{ pages = -1, found = -1, linked = -1 } = {}] = rows
      expect([(await creditsUsed()) - before, found, linked]).toEqual([pages, pages * 3, pages * 3])
      expect((await service.client.get(`/api/v1/scrape/${jobId}`)).body.data).toEqual(data)
    }
  })
})
