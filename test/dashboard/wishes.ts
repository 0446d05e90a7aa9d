import { thresholdsOf } from '../../src/detection/detect.ts'
import type { FoundRequest, Page, PageRequest } from '../../src/platforms/platform.ts'
import { foundRequest, platformMap, scriptedPlatform } from '../scripted-platform.ts'
import type { PageTestOptions } from './page-test.ts'

const { likely, maybe } = thresholdsOf('github')
const confidenceOf = { likely: (1 + likely) / 2, maybe: (likely + maybe) / 2, unlikely: maybe / 2 }

type Class = keyof typeof confidenceOf

/** Requests about a topic of one class, with titles such as `Dark mode likely 2`. */
const requestsOf = (topic: string, likelihood: Class, count: number): FoundRequest[] =>
  Array.from({ length: count }, (_, index) =>
    foundRequest(`${topic}-${likelihood}-${index}`, {
      title: `${topic} ${likelihood} ${index}`,
      description: `A text about ${topic} that is ${likelihood} to be a wish`,
      votes: 100 - index,
      confidence: confidenceOf[likelihood],
      sourceName: 'acme/app',
    }),
  )

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

/** Every status, on the first requests of a class. */
const withStatuses = (requests: FoundRequest[]) => {
  const changes: Partial<FoundRequest>[] = [
    { status: 'completed', statusChangedAt: daysAgo(3) },
    { status: 'declined', statusChangedAt: daysAgo(40) },
    { status: 'in_progress', statusChangedAt: daysAgo(1), excerpt: true },
    { status: 'planned' },
    { status: 'open' },
  ]
  return requests.map((request, index) => ({ ...request, ...changes[index] }))
}

function pageOf({ topic, sources }: PageRequest): Page {
  const requests = [
    ...withStatuses(requestsOf(topic, 'likely', 5)),
    ...withStatuses(requestsOf(topic, 'maybe', topic === 'one maybe' ? 1 : 8)),
    ...requestsOf(topic, 'unlikely', 2),
  ]
  if (sources) return { requests: requests.map((one) => ({ ...one, ownSource: sources[0]! })), nextCursor: null }
  return { requests, discarded: { offTopic: 9, noText: 3 }, nextCursor: null }
}

/** Tests may hold the platform. */
export const held: { until: Promise<void> | null } = { until: null }

const github = {
  ...scriptedPlatform('github', async (_call, request) => {
    await held.until
    return pageOf(request)
  }),
  verifySource: async () => {},
}

/** A service whose GitHub has 5 likely requests of each topic, 8 that may be requests, and 2 that are none. */
export const wishesOptions: PageTestOptions = {
  platforms: 'github,hackernews,stackexchange',
  service: {
    platforms: platformMap(
      github,
      scriptedPlatform('hackernews', () => null),
      scriptedPlatform('stackexchange', () => null),
    ),
  },
}
