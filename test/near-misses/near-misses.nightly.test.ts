import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createNearMissCorpus,
  type NearMissKind,
  nearMissesOf,
  nearMissTopics,
} from '../../simulator/near-misses-testing.ts'
import { simulatedPlatformNames } from '../../simulator/platforms/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../../simulator/simulator.ts'
import type { Job } from '../../src/collecting/scraping/jobs.ts'
import type { Discarded } from '../../src/database/column-types.ts'
import { topicKey } from '../../src/platforms/topic-words.ts'
import { startTestService, type TestService } from '../service.ts'

// Holds (Jobs): only requests about the topic join it, and the job says what was left out

// Every platform's search returns near-misses of twenty topics, through the whole service. The expectation knows only how each
// near-miss was written, never its words.

const becomes: Record<NearMissKind, 'joined' | 'maybe joined' | keyof Discarded> = {
  otherOrder: 'joined',
  otherForm: 'joined',
  // An adapter may query open ones only.
  closed: 'maybe joined',
  substring: 'offTopic',
  nearSpelling: 'offTopic',
  fewWords: 'offTopic',
  noise: 'offTopic',
  private: 'notPublic',
  gone: 'removed',
}

let simulator: PlatformSimulator
let service: TestService
let stored: Set<string>
const jobs = new Map<string, Job>()

beforeAll(async () => {
  simulator = await startPlatformSimulator({ limits: 'none', corpus: createNearMissCorpus({ size: 8 }) })
  const environment = { ...simulator.environment, PLATFORMS: simulatedPlatformNames.join(',') }
  service = await startTestService({ environment, platformTimeScale: 10_000 })
  await Promise.all(
    nearMissTopics.map(async (topic) => {
      const { body } = await service.client.scrape({ topic, platforms: simulatedPlatformNames, depth: 1 })
      jobs.set(topic, await service.client.waitForJob(body.data.jobId, 250_000))
    }),
  )
  stored = await storedTexts()
}, 300_000)
afterAll(async () => {
  await service?.stop()
  await simulator?.stop()
})

/** The titles of a topic's requests on a platform. */
async function joinedTitles(platform: string, topic: string): Promise<string[]> {
  const rows = await service.database
    .selectFrom('request_topics')
    .innerJoin('requests', 'requests.id', 'request_topics.request_id')
    .where('request_topics.topic_key', '=', topicKey(topic))
    .where('requests.platform', '=', platform)
    .select('requests.title')
    .execute()
  return rows.map(({ title }) => title)
}

/** Every title and text that is stored, with its platform. */
async function storedTexts(): Promise<Set<string>> {
  const rows = await service.database.selectFrom('requests').select(['platform', 'title', 'description']).execute()
  return new Set(
    rows.flatMap(({ platform, title, description }) => [`${platform} ${title}`, `${platform} ${description}`]),
  )
}

describe.each(simulatedPlatformNames)('near-misses on %s', (platform) => {
  it.each(nearMissTopics)(
    '%s: only what is about the topic joins it, and the job says what was left out',
    async (topic) => {
      const nearMisses = nearMissesOf(platform, topic)
      const textsThat = (outcome: string) =>
        nearMisses.filter(({ kind }) => becomes[kind] === outcome).map(({ text }) => text)
      const joined = await joinedTitles(platform, topic)
      const allowed = [...textsThat('joined'), ...textsThat('maybe joined')]

      expect(joined).toEqual(expect.arrayContaining(textsThat('joined')))
      const others = joined.filter((title) => !allowed.includes(title))
      expect(others.filter((title) => nearMisses.some(({ text }) => text === title))).toEqual([])

      for (const reason of ['offTopic', 'notPublic', 'removed'] as const) {
        expect(textsThat(reason).filter((text) => stored.has(`${platform} ${text}`))).toEqual([])
      }

      const task = jobs.get(topic)!.tasks.find((one) => one.platform === platform)!
      expect(task.pages).toBe(1)
      const { offTopic = 0, notPublic = 0, removed = 0 } = task.discarded
      // The comments of a video need not be about its topic, and a feed has all topics.
      if (['youtube', 'rss', 'appstore'].includes(platform))
        expect(offTopic).toBeGreaterThanOrEqual(textsThat('offTopic').length)
      else expect(offTopic).toBe(textsThat('offTopic').length)
      expect([notPublic, removed]).toEqual([textsThat('notPublic').length, textsThat('removed').length])
      expect(joined.length).toBe(task.requestsFound)
    },
  )
})
