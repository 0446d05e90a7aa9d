import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, type Script, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { type Page, PlannedWaitError, type Platform, PlatformError } from '../../platforms/platform.ts'

// Holds (Jobs): an account runs as many jobs at once as its plan allows; others start in order
// Holds (Jobs): one account's many tasks do not delay another's first

const minuteMs = 60_000
const generous = { timeout: 30_000 }
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

/** A platform that answers a topic when the test says so. */
function playOnCall(name: PlatformName) {
  const calls: { topic: string; answer: () => void }[] = []
  play(name, (_call, { topic, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Page>()
    calls.push({ topic, answer: () => resolve({ requests: [], nextCursor: null }) })
    signal.addEventListener('abort', () => reject(new PlatformError('cancelled', 'Cancelled.')))
    return promise
  })
  return {
    topics: () => calls.map(({ topic }) => topic),
    answer: (topic: string) => calls.find((call) => call.topic === topic)?.answer(),
    answerAll: () => {
      for (const { answer } of calls) answer()
    },
  }
}

type Client = TestService['client']
const start = async (client: Client, topic: string, more: Record<string, unknown> = {}): Promise<string> => {
  const { status, body } = await client.scrape({ topic, platforms: ['github'], ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.jobId
}
const statusOf = async (client: Client, jobId: string) => (await client.get(`/api/v1/scrape/${jobId}`)).body.data.status
const cancel = (client: Client, jobId: string) => client.send('DELETE', `/api/v1/scrape/${jobId}`)
const creditsUsed = async (client: Client) => (await client.get('/api/v1/usage')).body.data.credits.used

async function startJobs(client: Client, jobs: number): Promise<string[]> {
  const jobIds = []
  for (let job = 1; job <= jobs; job++) jobIds.push(await start(client, `topic ${job}`))
  return jobIds
}

describe('the job queue of an account', () => {
  it.each([
    ['free', 2],
    ['pro', 5],
  ] as const)('of the %s plan runs %i jobs at a time; the next begins when one ends', async (tier, limit) => {
    const github = playOnCall('github')
    const { client } = await service.createAccount(tier)
    const jobIds = await startJobs(client, limit + 2)
    await expect.poll(() => github.topics().length, generous).toBe(limit)
    const waiting = jobIds.slice(limit)
    expect(await statusOf(client, waiting[0]!)).toBe('pending')
    // Queued jobs have reserved their credits: an account cannot queue more than it can pay for.
    expect(await creditsUsed(client)).toBe(limit + 2)
    for (const ended of [1, 2]) {
      github.answer(`topic ${ended}`)
      await expect.poll(github.topics, generous).toContain(`topic ${limit + ended}`)
      expect(github.topics()).toHaveLength(limit + ended)
    }
    github.answerAll()
    for (const jobId of jobIds) expect((await client.waitForJob(jobId, 30_000)).status).toBe('completed')
    expect(await creditsUsed(client)).toBe(limit + 2)
  })

  it('begins the next job when one is cancelled; a queued job can be cancelled too', async () => {
    const github = playOnCall('github')
    const { client } = await service.createAccount('free')
    const [first, , third, fourth] = await startJobs(client, 4)
    await expect.poll(() => github.topics().length, generous).toBe(2)
    const { body } = await cancel(client, third!)
    expect(body.data).toMatchObject({ status: 'failed', startedAt: null, progress: { github: 'skipped' } })
    expect(await creditsUsed(client)).toBe(3)
    await cancel(client, first!)
    await expect.poll(github.topics, generous).toContain('topic 4')
    expect(github.topics()).not.toContain('topic 3')
    github.answerAll()
    expect((await client.waitForJob(fourth!, 30_000)).status).toBe('completed')
  })

  it('ends a queued job whose time is over, at no cost', async () => {
    const github = playOnCall('github')
    const { client } = await service.createAccount('free')
    const jobIds = await startJobs(client, 3)
    await expect.poll(() => github.topics().length, generous).toBe(2)
    aheadMs = 10 * minuteMs
    await service.runMaintenance()
    const ended = await Promise.all(jobIds.map((jobId) => client.waitForJob(jobId, 30_000)))
    expect(ended.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed'])
    expect(ended[2].errors).toMatchObject([{ code: 'timeout' }])
    expect(github.topics()).not.toContain('topic 3')
    expect(await creditsUsed(client)).toBe(0)
  })

  it('begins more jobs at the next maintenance when the plan was raised', async () => {
    const github = playOnCall('github')
    const { client, accountId } = await service.createAccount('free')
    const jobIds = await startJobs(client, 5)
    await expect.poll(() => github.topics().length, generous).toBe(2)
    await service.database.updateTable('accounts').set({ tier: 'pro' }).where('id', '=', accountId).execute()
    await service.runMaintenance()
    await expect.poll(github.topics, generous).toEqual(expect.arrayContaining(['topic 3', 'topic 4', 'topic 5']))
    github.answerAll()
    for (const jobId of jobIds) expect((await client.waitForJob(jobId, 30_000)).status).toBe('completed')
  })
})

describe('the slots of the workers', () => {
  it('go to the account with the fewest running tasks, however many another has queued', async () => {
    const github = playOnCall('github')
    const big = await service.createAccount('max')
    for (let job = 0; job < 10; job++) await start(big.client, `big ${job}`)
    await expect.poll(() => github.topics().length, generous).toBe(10)
    // A second big account has ten queued tasks before the small one starts its jobs.
    const hackernews = playOnCall('hackernews')
    const waiting = []
    const other = await service.createAccount('max')
    for (let job = 0; job < 10; job++)
      waiting.push(await start(other.client, `other ${job}`, { platforms: ['hackernews'] }))
    const small = await service.createAccount('free')
    await start(small.client, 'small one', { platforms: ['hackernews'] })
    await start(small.client, 'small two', { platforms: ['hackernews'] })
    for (let job = 0; job < 4; job++) {
      github.answer(`big ${job}`)
      await expect.poll(() => hackernews.topics().length, generous).toBe(job + 1)
    }
    expect(hackernews.topics()).toEqual(['other 0', 'small one', 'other 1', 'small two'])
    github.answerAll()
    await expect.poll(() => hackernews.topics().length, generous).toBe(10)
    hackernews.answerAll()
    await expect.poll(() => hackernews.topics().length, generous).toBe(12)
    hackernews.answerAll()
    for (const jobId of waiting) await other.client.waitForJob(jobId, 30_000)
  })

  it('are free while tasks wait for a paused platform', async () => {
    const paused = play('github', () => {
      throw new PlannedWaitError('unavailable', 'Paused.', new Date(clock.now().getTime() + 5 * minuteMs))
    })
    const big = await service.createAccount('max')
    const waiting = []
    for (let job = 0; job < 10; job++) waiting.push(await start(big.client, `paused ${job}`))
    await expect.poll(() => paused.length, generous).toBe(10)
    play('hackernews', numberedPages(1))
    const small = await service.createAccount('free')
    const jobId = await start(small.client, 'dark mode', { platforms: ['hackernews'] })
    expect((await small.client.waitForJob(jobId, 30_000)).status).toBe('completed')
    for (const one of waiting) await cancel(big.client, one)
  })
})
