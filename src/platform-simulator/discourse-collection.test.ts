import { expect, it } from 'vitest'
import { createDiscourse } from '../platforms/adapters/discourse/search.ts'
import { fetchPageOrNull, openTestBudget as openBudget, testClient } from '../platforms/adapters/testing.ts'
import { type FoundRequest, type Json, PlatformError } from '../platforms/platform.ts'
import type { SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

const filters: Record<string, string> = {
  harbour: 'category:13',
  meadow: 'feature request',
  quarry: 'tags:feature-request',
}

/** Pages to the end; a wait that the adapter announces is kept by moving the clock. */
async function collect(options: SimulatorOptions, { topic = 'dark mode', more = [] as string[] } = {}) {
  const clock = movableClock()
  const simulator = await simulate({ limits: 'real', clock, ...options })
  const urls = simulator.environment.DISCOURSE_URLS!.split(',')
  urls.unshift(...more.map((path) => `${simulator.urls.discourse}${path}`))
  const discourse = createDiscourse({ client: testClient(clock), clock, openBudget, urls })
  const requests: FoundRequest[] = []
  let pages = 0
  let cursor: Json = null
  do {
    try {
      const page = await fetchPageOrNull(discourse, { topic, cursor })
      requests.push(...(page?.requests ?? []))
      cursor = page?.nextCursor ?? null
      pages += 1
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryAt === null) throw error
      clock.forward(error.retryAt.getTime() - clock.now().getTime())
    }
  } while (cursor !== null || pages === 0)
  const expected = Object.entries(filters).flatMap(([forum, filter]) => {
    const search = { q: `${topic} ${filter} in:first`, forum }
    return simulator
      .expectedRecords('discourse', topic, search)
      .map(({ sourceUrl }) => `${simulator.urls.discourse}/${forum}${sourceUrl}`)
  })
  return { requests, expected, simulator, pages }
}

const urlsOf = (requests: FoundRequest[]) => requests.map(({ sourceUrl }) => sourceUrl).sort()

it('all forums are collected to page 10 within their limits, each topic once', async () => {
  const { requests, expected, simulator, pages } = await collect({ size: 700 })
  expect(urlsOf(requests)).toEqual(expected.sort())
  expect(new Set(requests.map(({ sourceId }) => sourceId)).size).toBe(1_500)
  expect([pages, simulator.breaches]).toEqual([30, 0])
  expect(simulator.requests.every(({ status }) => status === 200)).toBe(true)
})

it('a forum that takes many searches is waited for, and never asked too often', async () => {
  const { requests, expected, simulator } = await collect(
    { size: 700 },
    { more: ['/harbour/tag/feature-request', '/harbour', '/harbour/c/feature-requests'] },
  )
  expect([...new Set(urlsOf(requests))]).toEqual(expected.sort())
  expect(simulator.breaches).toBe(0)
  expect(simulator.requests.every(({ status }) => status === 200)).toBe(true)
})

it('a topic that is shorter than the minimum is found all the same', async () => {
  const { requests, expected } = await collect({}, { topic: 'AI' })
  expect(urlsOf(requests)).toEqual(expected.sort())
  expect(requests).toHaveLength(750)
})

it('a forum that fails costs the others nothing', async () => {
  const { requests, expected, simulator } = await collect({}, { more: ['/nosuch'] })
  expect(urlsOf(requests)).toEqual(expected.sort())
  expect(simulator.requests.filter(({ path }) => path.startsWith('/nosuch'))).toHaveLength(1)
})

it.each(['rate_limit', 'secondary_rate_limit', 'silent_rate_limit'] as const)(
  'a refusal in the form of %s is waited out',
  async (fault) => {
    const clock = movableClock()
    const simulator = await simulate({ clock })
    simulator.setFault('discourse', fault, fault === 'silent_rate_limit' ? {} : { seconds: 30 })
    const urls = [`${simulator.urls.discourse}/harbour`]
    const discourse = createDiscourse({ client: testClient(clock), clock, openBudget, urls })
    for (let call = 0; call < 2; call += 1) {
      await expect(fetchPageOrNull(discourse)).rejects.toMatchObject({ code: 'rate_limited' })
    }
    clock.forward(fault === 'silent_rate_limit' ? 60_000 : 30_000)
    expect((await fetchPageOrNull(discourse))?.requests).toHaveLength(50)
    const searches = simulator.requests.filter(({ path }) => path.endsWith('/search.json'))
    expect([searches.length, simulator.breaches]).toEqual([2, 0])
  },
)
