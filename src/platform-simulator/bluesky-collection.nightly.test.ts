import { expect, it } from 'vitest'
import { createBluesky } from '../platforms/adapters/bluesky/search.ts'
import { fetchPageOrNull, openTestBudget as openBudget, testClient } from '../platforms/adapters/testing.ts'
import type { FoundRequest, Json, Platform } from '../platforms/platform.ts'
import { PlatformError } from '../platforms/platform.ts'
import type { SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'
import { requestPhrases } from './vocabulary.ts'

async function setUp(options: SimulatorOptions = {}) {
  const clock = movableClock()
  const simulator = await simulate({ limits: 'real', clock, ...options })
  const { BLUESKY_API_URL, BLUESKY_HANDLE, BLUESKY_APP_PASSWORD } = simulator.environment
  const account = { handle: BLUESKY_HANDLE, appPassword: BLUESKY_APP_PASSWORD }
  const bluesky = createBluesky({ client: testClient(clock), clock, openBudget, baseUrl: BLUESKY_API_URL!, ...account })
  const searches = requestPhrases.map((phrase) => ({ q: `dark mode "${phrase}"` }))
  const expected = simulator.expectedRecords('bluesky', 'dark mode', ...searches)
  const sessions = () => simulator.requests.filter(({ path }) => path.endsWith('createSession')).length
  return { clock, simulator, bluesky, expected, sessions, password: BLUESKY_APP_PASSWORD! }
}

/** Pages to the end; what must be waited for is waited for by moving the clock. */
async function collect(
  bluesky: Platform,
  clock: ReturnType<typeof movableClock>,
  betweenPages = () => {},
): Promise<FoundRequest[]> {
  const requests: FoundRequest[] = []
  let cursor: Json = null
  do {
    try {
      const page = await fetchPageOrNull(bluesky, { cursor })
      requests.push(...(page?.requests ?? []))
      cursor = page?.nextCursor ?? null
      betweenPages()
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryAt === null) throw error
      clock.forward(error.retryAt.getTime() - clock.now().getTime())
    }
  } while (cursor !== null || requests.length === 0)
  return requests
}

const pairs = (records: { sourceId: string; sourceUrl: string }[]) =>
  records.map(({ sourceId, sourceUrl }) => `${sourceId} ${sourceUrl}`).sort()

it('all phrases are searched on Bluesky to the end, each post once, with one session', async () => {
  const { bluesky, clock, expected, simulator, sessions } = await setUp({ size: 1_000 })
  const requests = await collect(bluesky, clock)
  expect(pairs(requests)).toEqual(pairs(expected))
  expect(requests).toHaveLength(1_000)
  expect([sessions(), simulator.breaches]).toEqual([1, 0])
})

it('each phrase ends on Bluesky after ten thousand posts', async () => {
  const { bluesky, simulator } = await setUp({ size: 40_400, limits: 'none' })
  const cursor = { turn: 0, next: { 'feature request': '9900' }, ended: ['I wish', 'would be nice if', 'please add'] }
  const page = await fetchPageOrNull(bluesky, { cursor })
  expect(page?.requests).toHaveLength(100)
  expect(page?.nextCursor).toBeNull()
  expect(simulator.breaches).toBe(0)
})

it('the limit of Bluesky is waited out without a single refusal', async () => {
  const { bluesky, clock, expected, simulator } = await setUp({ limits: { bluesky: { limit: 4, windowMs: 300_000 } } })
  const requests = await collect(bluesky, clock)
  expect(pairs(requests)).toEqual(pairs(expected))
  expect(simulator.requests.every(({ status }) => status === 200)).toBe(true)
  expect(simulator.breaches).toBe(0)
})

it('a session of Bluesky that ends while posts are collected is renewed', async () => {
  const { bluesky, clock, expected, simulator, sessions, password } = await setUp({ size: 1_000 })
  const requests = await collect(bluesky, clock, () => clock.forward(61 * 60_000))
  expect(pairs(requests)).toEqual(pairs(expected))
  expect(sessions()).toBe(6)
  expect(simulator.breaches).toBe(0)
  expect(JSON.stringify(simulator.requests)).not.toContain(password)
})

it('a session of Bluesky that is refused once is renewed, and no page is lost', async () => {
  const { simulator, bluesky, clock, expected, sessions } = await setUp()
  simulator.setFault('bluesky', 'unauthorized')
  expect(pairs(await collect(bluesky, clock))).toEqual(pairs(expected))
  expect([sessions(), simulator.breaches]).toEqual([2, 0])
})

it('only a known app password of Bluesky is let in', async () => {
  const known = await setUp()
  const { bluesky, clock, expected } = await setUp({ validTokens: [known.password] })
  expect(pairs(await collect(bluesky, clock))).toEqual(pairs(expected))
  const unknown = await setUp({ validTokens: ['another'] })
  await expect(fetchPageOrNull(unknown.bluesky)).rejects.toMatchObject({ code: 'unauthorized' })
  expect([unknown.sessions(), unknown.simulator.requests.length]).toEqual([1, 1])
})

it('a post of Bluesky that was taken down is left out, and a deleted one is missing when it is read again', async () => {
  const records = [
    { title: 'Please add dark mode', votes: 2 },
    { title: 'Please add a dark mode', fate: 'removed' as const },
  ]
  const { bluesky, clock, simulator } = await setUp({ records: { bluesky: records } })
  const found = await collect(bluesky, clock)
  expect(found.map(({ votes }) => votes)).toEqual([2])
  simulator.bumpVotes(1)
  const [live, down] = simulator.expectedRecords('bluesky', '').map(({ sourceId }) => sourceId)
  expect(down).toBeUndefined()
  const again = await bluesky.refresh!.read(
    [live!, 'at://did:plc:x/app.bsky.feed.post/1'],
    new AbortController().signal,
  )
  expect(again).toMatchObject([{ state: 'found', request: { votes: 3 } }, { state: 'missing' }])
})

it('a server without a search is named with the one to use', async () => {
  const { bluesky } = await setUp({ behaviours: { bluesky: { search: 'refused' } } })
  await expect(fetchPageOrNull(bluesky)).rejects.toMatchObject({
    code: 'blocked',
    message: expect.stringContaining('https://bsky.social'),
  })
})
