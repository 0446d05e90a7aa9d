import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoCorpus, demoRecords, isNoise, sections } from '../src/platform-simulator/demo-corpus/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../src/platform-simulator/simulator.ts'
import { startTestService, type TestService } from './service.ts'

// What `npm run demo` shows after its topics were collected.

const now = new Date()
const records = demoRecords(now)
/** As in the demo. */
const depth = 3

let simulator: PlatformSimulator
let service: TestService

beforeAll(async () => {
  simulator = await startPlatformSimulator({ corpus: createDemoCorpus(now), limits: 'none' })
  const settings = {
    PLATFORMS: 'github,hackernews,stackexchange,discourse,lemmy,gitlab',
    GITHUB_TOKEN: 'demo',
    GITLAB_TOKEN: 'demo',
    STACKEXCHANGE_API_KEY: 'demo',
  }
  service = await startTestService({
    environment: { ...simulator.environment, ...settings },
    platformTimeScale: 10_000,
  })
  const jobs = []
  for (const { topic } of sections) jobs.push((await service.client.scrape({ topic, depth })).body.data.jobId)
  for (const jobId of jobs)
    expect(await service.client.waitForJob(jobId, 250_000)).toMatchObject({ status: 'completed' })
}, 300_000)
afterAll(async () => {
  await service?.stop()
  await simulator?.stop()
})

/** A platform and a second: no two records have both in common. Some platforms write fractions of it too. */
const identityOf = (platform: string, createdAt: string) => `${platform} ${createdAt.slice(0, 19)}`

async function listed(query: string): Promise<Record<string, unknown>[]> {
  return (await service.client.get(`/api/v1/requests?limit=100&${query}`)).body.data.results
}

describe('the demo', () => {
  it.each(sections.map(({ topic }) => topic))(
    'shows four fifths of the wishes about %s, and no noise',
    async (topic) => {
      const results = await listed(`topic=${encodeURIComponent(topic)}`)
      const shown = new Set(
        results.map(({ sourcePlatform, originalCreatedAt }) => identityOf(`${sourcePlatform}`, `${originalCreatedAt}`)),
      )
      const isShown = ({ place, record }: (typeof records)[number]) =>
        shown.has(identityOf(place.split('/')[0]!, record.createdAt.toISOString()))
      const own = records.filter((one) => one.topic === topic)
      const wishes = own.filter(({ record }) => !isNoise(record))
      const missing = wishes.filter((one) => !isShown(one))
      expect(missing.length / wishes.length, missing.map(({ record }) => record.title).join('; ')).toBeLessThanOrEqual(
        0.2,
      )
      expect(own.filter((one) => isNoise(one.record) && isShown(one))).toEqual([])
    },
  )

  it('has requests that may be some, and wishes that were planned, fulfilled and declined', async () => {
    expect((await listed('include=all')).length).toBeGreaterThan(0)
    const maybe = (await listed('include=maybe&topic=notifications')).filter(({ likelihood }) => likelihood === 'maybe')
    expect(maybe.length).toBeGreaterThan(0)
    for (const status of ['planned', 'completed', 'declined']) {
      expect((await listed(`status=${status}`)).length, status).toBeGreaterThan(2)
    }
  })

  it('leaves out some of what the platforms return, and says why', async () => {
    const { jobs } = (await service.client.get('/api/v1/scrape?limit=100')).body.data
    const discarded = jobs.flatMap(({ tasks }: { tasks: { discarded: Record<string, number> }[] }) =>
      tasks.map((task) => task.discarded.offTopic ?? 0),
    )
    expect(discarded.reduce((sum: number, count: number) => sum + count, 0)).toBeGreaterThan(5)
  })
})
