import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEvents, type ReadEvent } from '../../../test/event-reader.ts'
import { numberedPages, type Script, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { type Platform, PlatformError } from '../../platforms/platform.ts'
import { maxStreamsPerAccount } from './followers.ts'

// Holds (Jobs): cancelling aborts a running fetch at once, even in another process
// Holds (Jobs): an event stream misses no change of state and repeats none

// Takes seconds: a service stops and starts again, with its database.

const platforms = new Map<PlatformName, Platform>()
let service: TestService
beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const play = (name: PlatformName, script: Script) => platforms.set(name, scriptedPlatform(name, script))
const start = async (body: Record<string, unknown>): Promise<string> =>
  (await service.client.scrape({ topic: 'dark mode', ...body })).body.data.jobId

/** Pages that the test releases one by one. */
function steppedPages(pages: number) {
  const gates = Array.from({ length: pages }, () => Promise.withResolvers<void>())
  play('github', async (call, request) => {
    await gates[call]?.promise
    return numberedPages(pages)(call, request)
  })
  return gates
}
const states = (events: ReadEvent[]) => events.filter(({ event }) => event === 'platform').map(({ data }) => data.state)

describe('following a job', () => {
  it('reports the progress of each platform and why one failed, and ends with the job as polling returns it', async () => {
    const gates = steppedPages(2)
    play('hackernews', () => {
      throw new PlatformError('blocked', 'Hacker News refused this address.')
    })
    const jobId = await start({ platforms: ['github', 'hackernews'], depth: 5 })
    const events = await openEvents(service, jobId)
    expect(events.status).toBe(200)
    expect(events.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(events.headers.get('cache-control')).toBe('no-store')
    expect(events.headers.get('x-accel-buffering')).toBe('no')
    const failed = await events.until(({ data }) => data.state === 'error')
    expect(failed.data).toEqual({
      platform: 'hackernews',
      state: 'error',
      pages: 0,
      requestsFound: 0,
      requestsCreated: 0,
      maybeCreated: 0,
      discarded: {},
      waitingUntil: null,
      error: { code: 'blocked', message: 'Hacker News refused this address.' },
    })
    gates[0]?.resolve()
    const page = await events.until(({ data }) => data.platform === 'github' && data.pages > 0)
    expect(page.data).toEqual({
      platform: 'github',
      state: 'running',
      pages: 1,
      requestsFound: 2,
      requestsCreated: 2,
      maybeCreated: 0,
      discarded: {},
      waitingUntil: null,
      error: null,
    })
    gates[1]?.resolve()
    const rest = await events.rest()
    expect(rest.map(({ event }) => event)).toEqual(['platform', 'end'])
    expect(rest[1]?.data).toEqual((await service.client.get(`/api/v1/scrape/${jobId}`)).body.data)
  })

  it('continues after the last event that was received, and answers 204 after the end', async () => {
    const gates = steppedPages(3)
    const jobId = await start({ platforms: ['github'], depth: 3 })
    const first = await openEvents(service, jobId)
    gates[0]?.resolve()
    const seen = await first.until(({ data }) => data.pages === 1)
    first.close()
    gates[1]?.resolve()
    gates[2]?.resolve()
    await service.client.waitForJob(jobId)
    const rest = await (await openEvents(service, jobId, seen.id)).rest()
    expect(rest.map(({ event, data }) => [event, data.state ?? data.status, data.pages])).toEqual([
      ['platform', 'done', 3],
      ['end', 'completed', undefined],
    ])
    expect((await openEvents(service, jobId, rest[1]?.id)).status).toBe(204)
    expect(states(await (await openEvents(service, jobId)).rest())).toEqual(['done'])
    const refused = await openEvents(service, jobId, 'nonsense')
    expect(refused.status).toBe(400)
  })

  it('ends cleanly at shutdown, and continues in the next process', async () => {
    const gates = steppedPages(2)
    const jobId = await start({ platforms: ['github'], depth: 2 })
    const events = await openEvents(service, jobId)
    gates[0]?.resolve()
    const seen = await events.until(({ data }) => data.pages === 1)
    const { calls } = platforms.get('github') as ReturnType<typeof scriptedPlatform>
    await expect.poll(() => calls.length).toBe(2)
    const restarted = service.restart()
    expect(await events.rest()).toEqual([])
    gates[1]?.resolve()
    await restarted
    const rest = await (await openEvents(service, jobId, seen.id)).rest()
    expect(rest.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } })
  })

  it('is refused to an account with too many open streams until it closes one', async () => {
    const gates = steppedPages(1)
    const jobId = await start({ platforms: ['github'] })
    const open = () => openEvents(service, jobId)
    const streams = await Promise.all(Array.from({ length: maxStreamsPerAccount }, open))
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    const refused = await service.client.get(`/api/v1/scrape/${jobId}/events`)
    expect([refused.status, refused.body.error.reason, refused.headers.get('retry-after')]).toEqual([429, 'rate', '10'])
    const other = await service.createAccount()
    const theirs = (await other.client.scrape({ topic: 'dark mode', platforms: ['github'] })).body.data.jobId
    const free = await openEvents({ url: service.url, apiKey: other.apiKey }, theirs)
    expect(free.status).toBe(200)
    streams[0]?.close()
    await expect.poll(async () => (await open()).status).toBe(200)
    gates[0]?.resolve()
    await service.client.waitForJob(jobId)
    await other.client.waitForJob(theirs)
  })
})
