import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, type Script, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { PlannedWaitError, type Platform, PlatformError } from '../../platforms/platform.ts'

// Holds (Jobs): a job with every platform unreachable ends within 45 s, giving the reason from the first attempt

const unreachableMs = 4_500
/** Of the service with real adapters: its tries are seconds apart, so that a test sees what is between them. */
const realUnreachableMs = 12_000
const cooldownMs = 30_000

const adapters = new Map<PlatformName, Platform>()
let scripted: TestService
let real: TestService
beforeAll(async () => {
  scripted = await startTestService({ platforms: adapters, unreachableMs })
  // Nothing listens at port 1.
  const nowhere = { GITHUB_API_URL: 'http://127.0.0.1:1', HACKERNEWS_API_URL: 'http://127.0.0.1:1' }
  real = await startTestService({
    environment: nowhere,
    unreachableMs: realUnreachableMs,
    platformTimeouts: { retryMs: 1 },
  })
})
afterEach(async () => {
  for (const service of [scripted, real]) expect(await verifyLedger(service.database)).toEqual([])
})
afterAll(async () => {
  await scripted.stop()
  await real.stop()
})

function play(name: PlatformName, script: Script) {
  const platform = scriptedPlatform(name, script)
  adapters.set(name, platform)
  return platform
}
const later = (ms: number) => new Date(Date.now() + ms)
const unreachable: Script = () => {
  const retryAt = later(cooldownMs)
  throw new PlatformError('unavailable', 'No connection.', { retryAt, isUnreachable: true })
}
const start = async ({ client }: TestService, platforms: PlatformName[]) =>
  (await client.scrape({ topic: 'dark mode', platforms })).body.data.jobId as string
const read = async ({ client }: TestService, jobId: string) => (await client.get(`/api/v1/scrape/${jobId}`)).body.data
const tookMs = ({ startedAt, completedAt }: { startedAt: string; completedAt: string }) =>
  Date.parse(completedAt) - Date.parse(startedAt)

describe('a job of which no platform can be reached', () => {
  it('reports the reason from the first failed try on, is tried again, and ends in time', async () => {
    const jobId = await start(real, ['github', 'hackernews'])
    await expect.poll(async () => (await read(real, jobId)).waiting?.length, { timeout: 10_000 }).toBe(2)
    const job = await read(real, jobId)
    expect(job.errors).toBeUndefined()
    expect(job.waiting[0]).toMatchObject({
      platform: 'github',
      code: 'unavailable',
      message: expect.stringContaining('The connection to github failed (ECONNREFUSED)'),
    })
    // Long before the end of the usual cooldown of a host.
    expect(Date.parse(job.waiting[0].until)).toBeLessThan(Date.now() + cooldownMs / 2)
    const { platforms } = (await real.client.get('/api/v1/platforms')).body.data
    const github = platforms.find(({ platform }: { platform: string }) => platform === 'github')
    expect(github).toMatchObject({
      state: 'unreachable',
      hosts: [{ state: 'unreachable', failures: expect.any(Number) }],
    })
    expect(github.advice).toContain('ECONNREFUSED')

    const ended = await real.client.waitForJob(jobId, 60_000)
    expect(ended).toMatchObject({ status: 'failed', progress: { github: 'error', hackernews: 'error' } })
    expect(ended.errors.map(({ code }: { code: string }) => code)).toEqual(['unavailable', 'unavailable'])
    expect(ended.waiting).toBeUndefined()
    expect(tookMs(ended)).toBeLessThan(realUnreachableMs)
    expect((await real.client.get('/api/v1/usage')).body.data.credits.used).toBe(0)
  })

  it('does not wait for the pause of a host that keeps failing', async () => {
    const github = play('github', () => {
      throw new PlannedWaitError('unavailable', 'It keeps failing and is paused.', later(60_000), true)
    })
    const job = await scripted.client.waitForJob(await start(scripted, ['github']), 30_000)
    expect(job).toMatchObject({ status: 'failed', errors: [{ code: 'unavailable' }] })
    expect(github.calls).toHaveLength(1)
  })
})

describe('a platform that cannot be reached', () => {
  it('is tried again as long as another platform progresses, and no longer', async () => {
    const gate = Promise.withResolvers<void>()
    const github = play('github', unreachable)
    play('hackernews', async (call, request) => {
      await gate.promise
      return numberedPages(1)(call, request)
    })
    const jobId = await start(scripted, ['github', 'hackernews'])
    // The fourth try is later than any try of a platform alone: it is planned because the other one progresses.
    await expect.poll(() => github.calls.length).toBe(3)
    const retryAt = async () => Date.parse((await read(scripted, jobId)).waiting?.[0]?.until ?? '')
    await expect.poll(async () => (await retryAt()) > Date.now() + 500, { interval: 20 }).toBe(true)
    expect((await read(scripted, jobId)).waiting ?? []).not.toContainEqual(
      expect.objectContaining({ platform: 'hackernews' }),
    )
    gate.resolve()
    const job = await scripted.client.waitForJob(jobId, 60_000)
    expect(job).toMatchObject({ status: 'completed', progress: { github: 'error', hackernews: 'done' } })
    expect(github.calls).toHaveLength(4)
  })

  it('is no longer reported as such after a page', async () => {
    play('github', (call, request) => (call === 0 ? unreachable(call, request) : numberedPages(1)(call, request)))
    const job = await scripted.client.waitForJob(await start(scripted, ['github']), 30_000)
    expect(job).toMatchObject({ status: 'completed', progress: { github: 'done' } })
    expect([job.errors, job.waiting]).toEqual([undefined, undefined])
  })
})

it('a job waits for a rate limit longer than for a platform that cannot be reached', async () => {
  play('github', (call, request) => {
    if (call === 0)
      throw new PlannedWaitError('rate_limited', 'No more searches for now.', later(unreachableMs + 1_000))
    return numberedPages(1)(call, request)
  })
  const jobId = await start(scripted, ['github'])
  await expect
    .poll(async () => (await read(scripted, jobId)).waiting?.[0]?.code, { timeout: 10_000 })
    .toBe('rate_limited')
  const job = await scripted.client.waitForJob(jobId, 60_000)
  expect(job).toMatchObject({ status: 'completed', progress: { github: 'done' } })
  expect(tookMs(job)).toBeGreaterThan(unreachableMs)
})
