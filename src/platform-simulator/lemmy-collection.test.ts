import { expect, it } from 'vitest'
import { createLemmy } from '../platforms/adapters/lemmy/search.ts'
import { fetchPageOrNull, openTestBudget as openBudget, testClient } from '../platforms/adapters/testing.ts'
import { type FoundRequest, type Json, PlatformError } from '../platforms/platform.ts'
import type { PlatformSimulator, SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'
import { requestPhrases } from './vocabulary.ts'

/** Pages to the end; a wait that the adapter announces is kept by moving the clock. */
async function collect(options: SimulatorOptions, { more = [] as string[], times = 1 } = {}) {
  const clock = movableClock()
  const simulator = await simulate({ limits: 'real', clock, ...options })
  const urls = [
    ...more.map((path) => `${simulator.urls.lemmy}${path}`),
    ...simulator.environment.LEMMY_URLS!.split(','),
  ]
  const lemmy = createLemmy({ client: testClient(clock), clock, openBudget, urls })
  const requests: FoundRequest[] = []
  let pages = 0
  let waitMs = 0
  let cursor: Json = null
  do {
    try {
      const page = await fetchPageOrNull(lemmy, { cursor })
      requests.push(...(page?.requests ?? []))
      cursor = page?.nextCursor ?? null
      pages += 1
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryAt === null) throw error
      const cooldownMs = error.retryAt.getTime() - clock.now().getTime()
      waitMs += cooldownMs
      clock.forward(cooldownMs)
    }
  } while (cursor !== null || pages < times)
  const expected = requestPhrases.flatMap((phrase) =>
    simulator.expectedRecords('lemmy', 'dark mode', { q: `${phrase} dark mode`, type_: 'Posts' }),
  )
  const ids = expected.map(({ sourceId }) => sourceId)
  return { requests, expected: [...new Set(ids)], simulator, pages, waitMs }
}

const searchesOf = ({ requests }: PlatformSimulator) => requests.filter(({ path }) => !path.endsWith('/v4/site'))
const idsOf = (requests: FoundRequest[]) => requests.map(({ sourceId }) => sourceId).sort()

it('all instances are collected to the end with every phrase, each post once', async () => {
  const { requests, expected, simulator, pages } = await collect({})
  expect(idsOf(requests)).toEqual(expected.sort())
  expect(requests).toHaveLength(750)
  // A page more for each instance: the words before the phrase, which no text has.
  expect([pages, simulator.breaches]).toEqual([27, 0])
})

it('the limit of an instance is waited for', async () => {
  const { requests, expected, simulator, waitMs } = await collect({ size: 40 }, { times: 240 })
  expect([...new Set(idsOf(requests))]).toEqual(expected.sort())
  expect(waitMs).toBe(600_000)
  expect(simulator.breaches).toBe(0)
  expect(searchesOf(simulator).every(({ status }) => status === 200)).toBe(true)
})

it('an instance that fails costs the others nothing', async () => {
  const { requests, expected, simulator } = await collect({}, { more: ['/nosuch'] })
  expect(idsOf(requests)).toEqual(expected.sort())
  expect(simulator.breaches).toBe(0)
})

it('a refusal without a time is waited out', async () => {
  const clock = movableClock()
  const simulator = await simulate({ clock })
  simulator.setFault('lemmy', 'silent_rate_limit')
  const urls = [`${simulator.urls.lemmy}/orchard`]
  const lemmy = createLemmy({ client: testClient(clock), clock, openBudget, urls })
  for (let call = 0; call < 2; call += 1) {
    await expect(fetchPageOrNull(lemmy)).rejects.toMatchObject({ code: 'rate_limited' })
  }
  clock.forward(60_000)
  expect((await fetchPageOrNull(lemmy))?.requests).toHaveLength(50)
  expect([searchesOf(simulator).length, simulator.breaches]).toEqual([2, 0])
})
