import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPlatformSimulator } from '../../../simulator/simulator.ts'
import { startTestService, type TestService } from '../../../test/service.ts'

// Holds (Collecting): a platform's yield counts only the account's own collections, the first of each topic

let service: TestService
let stop: () => Promise<void>
beforeAll(async () => {
  const simulator = await startPlatformSimulator({ limits: 'none', size: 320 })
  stop = () => simulator.stop()
  service = await startTestService({
    environment: { ...simulator.environment, PLATFORMS: 'github,stackexchange,hackernews' },
  })
})
afterAll(async () => {
  await service.stop()
  await stop()
})

const yieldsOf = async (topic?: string, client = service.client) => {
  const { body } = await client.get(
    `/api/v1/platforms${topic === undefined ? '' : `?topic=${encodeURIComponent(topic)}`}`,
  )
  return Object.fromEntries(
    body.data.results.map((one: { platform: string; yield: unknown }) => [one.platform, one.yield]),
  )
}
const collect = async (topic: string, platforms: string[], depth: number) => {
  const { body } = await service.client.scrape({ topic, platforms, depth })
  return service.client.waitForJob(body.data.jobId)
}

it('the pages, what was found, and what a wish costs', async () => {
  expect(await yieldsOf()).toMatchObject({ github: null, hackernews: null })
  await collect('dark mode', ['github', 'stackexchange'], 3)
  await collect('csv export', ['github'], 1)
  // It finds what is known.
  await collect('Dark  mode', ['github'], 1)
  const rows = await service.database
    .selectFrom('scrape_tasks')
    .innerJoin('scrape_jobs', 'scrape_jobs.id', 'job_id')
    .select(['topic', 'platform', 'pages', 'requests_found as found', 'requests_created as likely'])
    .execute()
  expect(rows).toHaveLength(4)
  const of = (isOfAlikeTopics: boolean, topics: number, ...tasks: (typeof rows)[number][]) => {
    const [pages, found, likely] = (['pages', 'found', 'likely'] as const).map((field) =>
      tasks.reduce((sum, task) => sum + task[field], 0),
    ) as [number, number, number]
    return { isOfAlikeTopics, topics, pages, found, likely, creditsPerWish: Math.round((pages / likely) * 100) / 100 }
  }
  const named = (topic: string, platform: string) =>
    rows.find((row) => row.topic === topic && row.platform === platform)!
  const [dark, csv] = [named('dark mode', 'github'), named('csv export', 'github')]
  expect(await yieldsOf()).toMatchObject({
    github: of(false, 2, dark, csv),
    stackexchange: of(false, 1, named('dark mode', 'stackexchange')),
    hackernews: null,
  })
  expect((await yieldsOf('a darker theme')).github).toEqual(of(false, 2, dark, csv))
  expect((await yieldsOf('dark themes')).github).toEqual(of(true, 1, dark))
  // One page of it says nothing yet.
  expect((await yieldsOf('export as csv')).github).toEqual(of(false, 2, dark, csv))
  const stranger = await service.createAccount('pro')
  expect((await yieldsOf(undefined, stranger.client)).github).toBeNull()
})
