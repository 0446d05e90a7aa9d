import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, type Script, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { PlannedWaitError, type Platform, PlatformError } from '../../platforms/platform.ts'

// Holds (Jobs): a worker that lost its task writes nothing
// Holds (Jobs): a failing platform affects no other and costs only what it delivered

// Takes seconds: restarts stop and start the database, too, and platforms ask for a pause of a second.

const platforms = new Map<PlatformName, Platform>()
let service: TestService

/** Gives each platform its script for this test. */
function play(scripts: Partial<Record<PlatformName, Script>>) {
  for (const [name, script] of Object.entries(scripts) as [PlatformName, Script][]) {
    platforms.set(name, scriptedPlatform(name, script))
  }
}

const runJob = async (body: Record<string, unknown>) => {
  const { body: started } = await service.client.scrape(body)
  return service.client.waitForJob(started.data.jobId)
}
const creditsUsed = async () => (await service.client.search('anything')).body.usage.credits.used
const found = async (jobId: string) =>
  (await service.client.get(`/api/v1/requests?jobId=${jobId}&limit=100`)).body.data.results

beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterEach(async () => {
  expect(await verifyLedger(service.database)).toEqual([])
  await service.reset()
})
afterAll(() => service.stop())

describe('a scrape job', () => {
  it('answers at once, runs every platform and reports the result of each', async () => {
    play({ github: numberedPages(3), hackernews: numberedPages(1), stackexchange: numberedPages(9) })
    const started = await service.client.scrape({ topic: '  dark mode ', depth: 2 })
    expect(started.status).toBe(200)
    expect(started.body).toEqual({
      data: {
        jobId: expect.any(String),
        status: 'pending',
        topic: 'dark mode',
        platforms: ['github', 'hackernews', 'stackexchange'],
        depth: 2,
      },
      usage: { credits: { used: 6, limit: 15_000, remaining: 14_994 } },
    })
    const job = await service.client.waitForJob(started.body.data.jobId)
    expect(job).toEqual({
      jobId: started.body.data.jobId,
      status: 'completed',
      error: null,
      topic: 'dark mode',
      platforms: ['github', 'hackernews', 'stackexchange'],
      depth: 2,
      progress: { github: 'done', hackernews: 'done', stackexchange: 'done' },
      requestsCreated: 10,
      maybeCreated: 0,
      tasks: [
        { platform: 'github', pages: 2, requestsFound: 4, requestsCreated: 4, maybeCreated: 0, discarded: {} },
        { platform: 'hackernews', pages: 1, requestsFound: 2, requestsCreated: 2, maybeCreated: 0, discarded: {} },
        { platform: 'stackexchange', pages: 2, requestsFound: 4, requestsCreated: 4, maybeCreated: 0, discarded: {} },
      ],
      credits: { held: 0, settled: 5 },
      startedBy: {
        keyId: expect.any(String),
        keyName: 'BOOTSTRAP_API_KEY',
        personName: null,
        watchId: null,
        watchName: null,
      },
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      completedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(await found(job.jobId)).toHaveLength(10)
    // github 2 pages (depth), hackernews 1 (has no more), stackexchange 2 (depth)
    expect(await creditsUsed()).toBe(5)
  })

  it('continues when one platform fails, and charges only the pages that were delivered', async () => {
    play({
      github: numberedPages(2),
      hackernews: (call, request) => {
        if (call === 1) throw new PlatformError('blocked', 'Hacker News refused this address.')
        return numberedPages(5)(call, request)
      },
      stackexchange: () => {
        throw new Error('a fault in the adapter, with a secret in its message')
      },
    })
    const job = await runJob({ topic: 'dark mode', depth: 5 })
    expect(job.status).toBe('completed')
    expect(job.progress).toEqual({ github: 'done', hackernews: 'error', stackexchange: 'error' })
    expect(job.errors).toEqual([
      { platform: 'hackernews', code: 'blocked', message: 'Hacker News refused this address.' },
      { platform: 'stackexchange', code: 'bad_response', message: expect.not.stringContaining('secret') },
    ])
    expect(await creditsUsed()).toBe(3)
  })

  it('fails when no platform delivered', async () => {
    play({
      github: () => {
        throw new PlatformError('unauthorized', 'The token is not valid.')
      },
    })
    const job = await runJob({ topic: 'dark mode', platforms: ['github'] })
    expect(job).toMatchObject({ status: 'failed', progress: { github: 'error' }, requestsCreated: 0 })
    expect(job.error).toBe('The platform failed: github did not accept the credentials (unauthorized).')
    expect(await creditsUsed()).toBe(0)
  })

  it('charges an empty page, because the platform was called', async () => {
    play({ github: () => ({ requests: [], nextCursor: null }) })
    const job = await runJob({ topic: 'dark mode', platforms: ['github'], depth: 3 })
    expect(job).toMatchObject({ status: 'completed', requestsCreated: 0 })
    expect(await creditsUsed()).toBe(1)
  })

  it('charges nothing when the platform has no page to fetch', async () => {
    play({ github: () => null, hackernews: (call) => (call === 0 ? { requests: [], nextCursor: 1 } : null) })
    const job = await runJob({ topic: 'dark mode', platforms: ['github', 'hackernews'], depth: 3 })
    expect(job.progress).toEqual({ github: 'done', hackernews: 'done' })
    expect(await creditsUsed()).toBe(1)
  })

  it('passes to a platform how many pages of the topic it delivered before, to any job and across restarts', async () => {
    play({ github: numberedPages(3), hackernews: numberedPages(1) })
    const callsOf = (name: PlatformName) =>
      (platforms.get(name) as ReturnType<typeof scriptedPlatform>).calls.map(({ pagesBefore }) => pagesBefore)
    await runJob({ topic: 'dark mode', platforms: ['github', 'hackernews'], depth: 2 })
    await runJob({ topic: 'other', platforms: ['github'], depth: 1 })
    await service.restart()
    await runJob({ topic: ' Dark  MODE', platforms: ['github'], depth: 1 })
    expect(callsOf('github')).toEqual([0, 0, 0, 2])
    expect(callsOf('hackernews')).toEqual([0])
  })

  it('tries a failed page again, and ends in error after five tries', async () => {
    const later = () => new PlatformError('unavailable', 'away', { retryAt: new Date() })
    play({
      github: (call, request) => {
        if (call < 4) throw later()
        return numberedPages(1)(call, request)
      },
      hackernews: () => {
        throw later()
      },
    })
    const job = await runJob({ topic: 'dark mode', platforms: ['github', 'hackernews'] })
    expect(job.progress).toEqual({ github: 'done', hackernews: 'error' })
    expect((platforms.get('hackernews') as ReturnType<typeof scriptedPlatform>).calls).toHaveLength(5)
  })

  it('waits in the queue for its platform and continues at the same page', async () => {
    play({
      github: (call, request) => {
        if (call === 1) throw new PlannedWaitError('rate_limited', 'wait', new Date(Date.now() + 500))
        return numberedPages(2)(call, request)
      },
    })
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 2 })
    const job = await service.client.waitForJob(body.data.jobId)
    expect(job).toMatchObject({ status: 'completed', requestsCreated: 4 })
    expect((platforms.get('github') as ReturnType<typeof scriptedPlatform>).calls.map((call) => call.cursor)).toEqual([
      null,
      1,
      1,
    ])
  })

  it('ends a task whose platform announces a wait of more than half an hour', async () => {
    play({
      github: () => {
        throw new PlatformError('rate_limited', 'Try again tomorrow.', { retryAt: new Date(Date.now() + 31 * 60_000) })
      },
    })
    const job = await runJob({ topic: 'dark mode', platforms: ['github'] })
    expect(job.errors).toEqual([{ platform: 'github', code: 'rate_limited', message: 'Try again tomorrow.' }])
  })

  it('skips a platform that was switched off after the start, at no cost', async () => {
    platforms.delete('github')
    const job = await runJob({ topic: 'dark mode', platforms: ['github'] })
    expect(job).toMatchObject({ status: 'completed', progress: { github: 'skipped' } })
    expect(job.errors[0]).toMatchObject({ code: 'not_configured' })
    expect(await creditsUsed()).toBe(0)
  })

  it('skips a platform without quota, and ends in error when the quota runs out after some pages', async () => {
    const spent = () => new PlatformError('quota_exhausted', 'The daily quota is used up.')
    play({
      github: () => {
        throw spent()
      },
      hackernews: (call, request) => {
        if (call === 1) throw spent()
        return numberedPages(3)(call, request)
      },
    })
    const job = await runJob({ topic: 'dark mode', platforms: ['github', 'hackernews'], depth: 3 })
    expect(job).toMatchObject({ status: 'failed', progress: { github: 'skipped', hackernews: 'error' } })
    expect(await creditsUsed()).toBe(1)
  })

  it('is refused when, and only when, it would cost more than the caller allows', async () => {
    play({ github: numberedPages(3) })
    const job = { topic: 'dark mode', platforms: ['github', 'github'], depth: 3 }
    const { status, body } = await service.client.scrape({ ...job, maxCredits: 2 })
    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.error.message).toBe('maxCredits: the job would cost up to 3 credits (depth x platforms).')
    expect(await creditsUsed()).toBe(0)
    await runJob({ ...job, maxCredits: 3 })
    expect(await creditsUsed()).toBe(3)
  })

  it('counts duplicate platforms once', async () => {
    play({ github: numberedPages(1) })
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github', 'github'] })
    expect(body.data.platforms).toEqual(['github'])
    expect(body.usage.credits.used).toBe(1)
    await service.client.waitForJob(body.data.jobId)
  })

  it('continues after a restart at the same page', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    play({
      github: async (call, request) => {
        if (call === 1) await released
        return numberedPages(4)(call, request)
      },
    })
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 4 })
    await expect.poll(() => (platforms.get('github') as ReturnType<typeof scriptedPlatform>).calls.length).toBe(2)
    const restarted = service.restart()
    release()
    await restarted
    const job = await service.client.waitForJob(body.data.jobId)
    expect(job).toMatchObject({ status: 'completed', requestsCreated: 8 })
    const cursors = (platforms.get('github') as ReturnType<typeof scriptedPlatform>).calls.map((call) => call.cursor)
    expect(cursors).toEqual([null, 1, 2, 3])
    expect(await creditsUsed()).toBe(4)
  })

  it('writes nothing for a worker that lost its task', async () => {
    play({
      github: async (call, request) => {
        // Another worker takes the task over during this fetch.
        await service.database
          .updateTable('scrape_tasks')
          .set((eb) => ({ fencing_token: eb('fencing_token', '+', 1) }))
          .execute()
        return numberedPages(1)(call, request)
      },
    })
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    const queueIsIdle = async () => {
      const { rows } = await sql<{ state: string }>`select state from pgboss.job where name = 'scrape-task'`.execute(
        service.database,
      )
      return rows.map((row) => row.state)
    }
    await expect.poll(queueIsIdle).toEqual(['completed'])
    expect(await found(body.data.jobId)).toEqual([])
    expect((await service.client.get(`/api/v1/scrape/${body.data.jobId}`)).body.data.status).toBe('running')
  })

  it('does not exist for any other account', async () => {
    play({ github: numberedPages(1) })
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    const stranger = (await service.createAccount()).client
    const theirs = await stranger.get(`/api/v1/scrape/${body.data.jobId}`)
    const missing = await stranger.get('/api/v1/scrape/00000000-0000-4000-8000-000000000000')
    const malformed = await stranger.get('/api/v1/scrape/nonsense')
    expect(theirs.status).toBe(404)
    expect(theirs.body).toEqual(missing.body)
    expect(malformed.body).toEqual(missing.body)
    const list = await stranger.get(`/api/v1/requests?jobId=${body.data.jobId}`)
    expect([list.status, list.body]).toEqual([404, missing.body])
    await service.client.waitForJob(body.data.jobId)
  })
})
