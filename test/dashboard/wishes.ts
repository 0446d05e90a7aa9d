import { fetchRoundRobin } from '../../src/platforms/adapters/round-robin.ts'
import { type FoundRequest, type Page, type PageRequest, SourceRefusedError } from '../../src/platforms/platform.ts'
import { thresholdsOf } from '../../src/requests/detection/detect.ts'
import { foundRequest, platformMap, scriptedPlatform } from '../scripted-platform.ts'
import type { PageTestOptions } from './page-test.ts'

const from = thresholdsOf('github')
const confidenceOf = { likely: (1 + from.likely) / 2, maybe: (from.likely + from.maybe) / 2, unlikely: from.maybe / 2 }

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

/** How many likely and possible requests a topic has, where that is not 5 and 8. */
const sizes: Record<string, [likely: number, maybe: number]> = {
  'one maybe': [5, 1],
  'only maybe': [0, 8],
  'two pages': [25, 8],
}

function firstPageOf(topic: string): FoundRequest[] {
  const [likely, maybe] = sizes[topic] ?? [5, 8]
  return [
    ...withStatuses(requestsOf(topic, 'likely', likely)),
    ...withStatuses(requestsOf(topic, 'maybe', maybe)),
    ...requestsOf(topic, 'unlikely', 2),
  ]
}

/** Tests hold the second page of GitHub. */
export const secondPage = { allowed: Promise.resolve() }

async function pageOf(request: PageRequest): Promise<Page | null> {
  const { topic, cursor, sources } = request
  if (sources) {
    return fetchRoundRobin({
      sources,
      request,
      fetchFrom: async (source) => {
        const requests = requestsOf(`${topic} of ${source}`, 'likely', 1)
        return { requests: requests.map((one) => ({ ...one, ownSource: source })), nextCursor: null }
      },
    })
  }
  if (cursor === null) return { requests: firstPageOf(topic), discarded: { offTopic: 9, noText: 3 }, nextCursor: 1 }
  await secondPage.allowed
  return { requests: [], discarded: { offTopic: 1, reply: 1 }, nextCursor: null }
}

const github = {
  ...scriptedPlatform('github', (_call, request) => pageOf(request)),
  verifySource: async (source: string) => {
    if (source === 'acme/none') throw new SourceRefusedError('acme/none does not exist or is not public.')
  },
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
    environment: { SOURCES: 'any' },
  },
}
