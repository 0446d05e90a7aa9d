import { expect, it } from 'vitest'
import { createGate, pageOf, platforms, prepareLiveService } from './testing.ts'

// Holds (Search, lists and export): an expansion's topic is in no list until a job or call names it

const live = prepareLiveService()
const listed = async (): Promise<string[]> => {
  const { body } = await live.service.client.get('/api/v1/topics?sortBy=name')
  return body.data.results.map(({ topic }: { topic: string }) => topic)
}
const pageOfTopic = async (topic: string) =>
  (await live.service.client.get(`/api/v1/topics/${encodeURIComponent(topic)}`)).body.data

it('topics of an expansion are marked, and in no list until a job collects them', async () => {
  live.related = ['night light', 'contrast']
  await live.expand('dark mode')
  expect(await listed()).toEqual([])
  for (const sortBy of ['new', 'votes']) {
    expect((await live.service.client.get(`/api/v1/topics?sortBy=${sortBy}`)).body.data.results).toEqual([])
  }
  expect(await pageOfTopic('night light')).toMatchObject({ fromExpansion: true, requests: 4 })

  const { body } = await live.service.client.scrape({ topic: 'Night Light', platforms: ['github'] })
  await live.service.client.waitForJob(body.data.jobId, 30_000)
  expect(await listed()).toEqual(['night light'])
  expect(await pageOfTopic('night light')).not.toHaveProperty('fromExpansion')
})

it('a topic that a job has collected stays listed when an expansion collects it again', async () => {
  const { body } = await live.service.client.scrape({ topic: 'contrast', platforms: ['github'] })
  await live.service.client.waitForJob(body.data.jobId, 30_000)
  await live.expand('contrast')
  expect(await listed()).toEqual(['contrast'])
})

it('a job lists a topic of an expansion also when it finds nothing new of it', async () => {
  await live.expand('contrast')
  live.scripts.github = () => ({ requests: [], nextCursor: null })
  const { body } = await live.service.client.scrape({ topic: 'contrast', platforms: ['github'] })
  await live.service.client.waitForJob(body.data.jobId, 30_000)
  expect(await listed()).toEqual(['contrast'])
})

it('a call with source=realtime lists the topic that it names, fresh or not', async () => {
  await live.realtime('palette')
  expect(await listed()).toEqual(['palette'])
  live.related = ['night light']
  await live.expand('dark mode')
  expect(await listed()).toEqual(['palette'])
  await live.realtime('night light')
  expect(await listed()).toEqual(['night light', 'palette'])
})

it('a call with source=realtime lists a topic that an expansion is still collecting', async () => {
  const gate = createGate()
  for (const platform of platforms) {
    live.scripts[platform as 'github'] = async (_call, request) => {
      await gate.passed
      return pageOf(platform)(request)
    }
  }
  const expanding = live.expand('dark mode')
  await expect.poll(() => live.github.calls.length).toBe(1)
  const naming = live.realtime('dark mode')
  await expect
    .poll(async () => {
      const jobs = await live.service.database.selectFrom('scrape_jobs').select('from_expansion').execute()
      return jobs.map((job) => job.from_expansion)
    })
    .toEqual([false])
  gate.open()
  await Promise.all([expanding, naming])
  expect(await listed()).toEqual(['dark mode'])
})
