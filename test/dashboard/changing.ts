import type { FoundRequest } from '../../src/platforms/platform.ts'
import { foundRequest, platformMap, scriptedPlatform } from '../scripted-platform.ts'
import { type PageTest, type PageTestOptions, patienceMs } from './page-test.ts'

/** What GitHub has now: tests change it between two runs of a watch. */
export const github: { requests: FoundRequest[] } = { requests: [] }

/** A request about sharing; nothing else of it matters. */
export const wish = (id: string, fields: Partial<FoundRequest> = {}): FoundRequest =>
  foundRequest(id, {
    title: `Sharing ${id}`,
    description: `A text about sharing ${id}`,
    sourceName: 'acme/app',
    status: 'open',
    ...fields,
  })

/** A service whose GitHub has the same requests until a test changes them. */
export const changingOptions: PageTestOptions = {
  platforms: 'github',
  service: {
    platforms: platformMap(scriptedPlatform('github', () => ({ requests: github.requests, nextCursor: null }))),
  },
}

/** Makes a watch. @returns its id. */
export async function makeWatch(test: PageTest, more: Record<string, unknown> = {}): Promise<string> {
  const { body } = await test.service.client.post('/api/v1/watches', {
    name: 'Sharing on mobile',
    topic: 'sharing',
    platforms: ['github'],
    depth: 1,
    schedule: 'daily',
    timezone: 'Europe/Berlin',
    monthlyCredits: 31,
    ...more,
  })
  return body.data.watchId
}

/** Runs a watch once and reports its news. @returns the id of the job. */
export async function runWatch(test: PageTest, watchId: string): Promise<string> {
  const { body } = await test.service.client.post(`/api/v1/watches/${watchId}/run`, {})
  await test.service.client.waitForJob(body.data.jobId, patienceMs * 2)
  await test.service.placeRequests()
  await test.service.reportNews()
  return body.data.jobId
}
