import { afterAll, beforeAll, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { Discarded, PlatformName } from '../database/column-types.ts'
import type { Platform } from '../platforms/platform.ts'

const pages: Discarded[] = [{ offTopic: 9, noText: 3 }, {}, { offTopic: 2, reply: 1 }]
const platforms = new Map<PlatformName, Platform>([
  [
    'github',
    scriptedPlatform('github', (call) => ({
      requests: [foundRequest(String(call))],
      discarded: pages[call] ?? {},
      nextCursor: call < 2 ? call + 1 : null,
    })),
  ],
  ['hackernews', scriptedPlatform('hackernews', () => ({ requests: [], nextCursor: null }))],
])
let service: TestService

beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterAll(() => service.stop())

it('a job says how many items of its pages were left out, and why', async () => {
  const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github', 'hackernews'], depth: 5 })
  const { tasks, maybeCreated } = await service.client.waitForJob(body.data.jobId)
  const discarded = { offTopic: 11, noText: 3, reply: 1 }
  expect(tasks).toEqual([
    { platform: 'github', pages: 3, requestsFound: 3, requestsCreated: 3, maybeCreated: 0, discarded },
    { platform: 'hackernews', pages: 1, requestsFound: 0, requestsCreated: 0, maybeCreated: 0, discarded: {} },
  ])
  expect(maybeCreated).toBe(0)
  const { text } = await service.client.get(`/api/v1/scrape/${body.data.jobId}/events`)
  expect(text).toContain('"discarded":{')
})
