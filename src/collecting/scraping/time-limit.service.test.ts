import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../../../test/event-reader.ts'
import { numberedPages, type Script, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { PlannedWaitError, type Platform } from '../../platforms/platform.ts'

// Holds (Jobs): every job ends in time, even one that hangs

// Takes seconds: the limits are seconds of real time, of which a job tells the time that is left.

const minuteMs = 60_000
const platforms = new Map<PlatformName, Platform>()
let aheadMs = 0
const clock = { now: () => new Date(Date.now() + aheadMs) }
let service: TestService
beforeAll(async () => {
  service = await startTestService({ platforms, clock, environment: { JOB_TIME_LIMIT_MINUTES: '10' } })
})
afterEach(async () => {
  aheadMs = 0
  expect(await verifyLedger(service.database)).toEqual([])
  await service.reset()
})
afterAll(() => service.stop())

function play(name: PlatformName, script: Script) {
  const platform = scriptedPlatform(name, script)
  platforms.set(name, platform)
  return platform.calls
}
const start = async (body: Record<string, unknown>): Promise<string> =>
  (await service.client.scrape({ topic: 'dark mode', ...body })).body.data.jobId
const creditsUsed = async () => (await service.client.get('/api/v1/usage')).body.data.credits.used

describe('the time of a job', () => {
  it('ends it after the page that is under way; delivered pages stay charged', async () => {
    const calls = play('github', (call, request) => {
      if (call === 2) aheadMs = 10 * minuteMs
      return numberedPages(9)(call, request)
    })
    const job = await service.client.waitForJob(await start({ platforms: ['github'], depth: 9 }))
    expect(job).toMatchObject({ status: 'failed', progress: { github: 'error' }, requestsCreated: 6 })
    expect(job.error).toBe('The time limit of the job was over before any platform was done.')
    expect(job.errors).toEqual([
      { platform: 'github', code: 'timeout', message: 'The time of the job was over before the platform was done.' },
    ])
    expect(calls).toHaveLength(3)
    expect(await creditsUsed()).toBe(3)
  })

  it('ends a platform at once that could be called again only after it', async () => {
    play('github', (call, request) => {
      if (call === 1)
        throw new PlannedWaitError('rate_limited', 'Wait.', new Date(clock.now().getTime() + 11 * minuteMs))
      return numberedPages(9)(call, request)
    })
    const job = await service.client.waitForJob(await start({ platforms: ['github'], depth: 9 }))
    expect(job.errors).toEqual([
      {
        platform: 'github',
        code: 'timeout',
        message: 'The time of the job is over before the platform can be called again. Wait.',
      },
    ])
    expect(await creditsUsed()).toBe(1)
  })

  it('ends a fetch that hangs, in the worker of the task', async () => {
    const calls = play('github', async (call) => {
      if (call > 0) return new Promise<never>(() => {})
      // At the next claim the job has only a second left.
      const expiresAt = new Date(clock.now().getTime() + 4_000)
      await sql`update scrape_jobs set expires_at = ${expiresAt}`.execute(service.database)
      throw new PlannedWaitError('rate_limited', 'Wait.', new Date(clock.now().getTime() + 3_000))
    })
    const job = await service.client.waitForJob(await start({ platforms: ['github'] }), 30_000)
    expect(job.errors).toMatchObject([{ platform: 'github', code: 'timeout' }])
    for (const { signal } of calls.slice(1)) expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
    expect(await creditsUsed()).toBe(0)
  })

  it('ends tasks that hang or never began, and completes the job if a platform was done', async () => {
    const hanging = play('github', () => new Promise<never>(() => {}))
    play('hackernews', numberedPages(1))
    const jobId = await start({ platforms: ['github', 'hackernews'], depth: 2 })
    const events = await openEvents(service, jobId)
    await events.until(({ data }) => data.platform === 'hackernews' && data.state === 'done')
    await expect.poll(() => hanging.length).toBe(1)
    aheadMs = 9 * minuteMs
    await service.runMaintenance()
    expect((await service.client.get(`/api/v1/scrape/${jobId}`)).body.data.status).toBe('running')
    aheadMs = 10 * minuteMs
    await service.runMaintenance()
    expect((await events.rest()).at(-1)).toMatchObject({
      event: 'end',
      data: { status: 'completed', progress: { github: 'error', hackernews: 'done' } },
    })
    await expect.poll(() => hanging[0]?.signal.aborted).toBe(true)
    expect(await creditsUsed()).toBe(1)
  })
})
