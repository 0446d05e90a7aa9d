import { describe, expect, it } from 'vitest'
import type { PlatformName } from '../database/column-types.ts'
import { redditQuery } from '../platforms/adapters/reddit/queries.ts'
import { createReddit } from '../platforms/adapters/reddit/search.ts'
import { fetchPageOrNull, platformError, testClient } from '../platforms/adapters/testing.ts'
import { createX, xQuery } from '../platforms/adapters/x/search.ts'
import { type BudgetLimits, createBudget } from '../platforms/budget/budget.ts'
import { createMemoryQuotas } from '../platforms/budget/quota.ts'
import { type FoundRequest, type Json, type Platform, PlatformError } from '../platforms/platform.ts'
import type { PlatformSimulator, SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

type Name = 'reddit' | 'x'

async function setUp(options: SimulatorOptions = {}) {
  const clock = movableClock()
  const validTokens = ['simulated-secret', 'simulated-bearer']
  const simulator = await simulate({ limits: 'real', clock, validTokens, ...options })
  return { simulator, clock, platforms: createBoth(simulator, clock) }
}

function createBoth({ environment }: PlatformSimulator, clock: ReturnType<typeof movableClock>) {
  const shared = (platform: PlatformName) => ({
    client: testClient(clock),
    clock,
    openBudget: (limits: BudgetLimits) => createBudget({ ...limits, platform, quotas: createMemoryQuotas() }),
  })
  const reddit = createReddit({
    ...shared('reddit'),
    baseUrl: environment.REDDIT_API_URL!,
    tokenUrl: environment.REDDIT_TOKEN_URL!,
    clientId: environment.REDDIT_CLIENT_ID,
    clientSecret: environment.REDDIT_CLIENT_SECRET,
  })
  const x = createX({ ...shared('x'), baseUrl: environment.X_API_URL!, bearerToken: environment.X_BEARER_TOKEN })
  return { reddit, x }
}

/** Pages to the end; where the platform has to be waited for, the clock is moved to that moment. */
async function collect(platform: Platform, topic: string, clock: ReturnType<typeof movableClock>) {
  const found: FoundRequest[] = []
  let pages = 0
  let cursor: Json = null
  do {
    try {
      const page = await fetchPageOrNull(platform, { topic, cursor })
      found.push(...(page?.requests ?? []))
      cursor = page?.nextCursor ?? null
      pages += 1
    } catch (error) {
      if (!(error instanceof PlatformError) || !error.retryAt) throw error
      clock.forward(error.retryAt.getTime() - clock.now().getTime())
    }
  } while (cursor !== null || pages === 0)
  return { found, pages }
}

const queries = {
  reddit: (topic: string) => ({ q: redditQuery(topic)! }),
  x: (topic: string) => ({ query: xQuery(topic)! }),
}
const topics = ['dark mode', 'C++ "modules" OR site:a', 'feature request', '暗い', 'and']

describe.each<Name>(['reddit', 'x'])('%s', (name) => {
  it.each(topics)('is collected to the end, without a post too many or too few: %s', async (topic) => {
    const { simulator, clock, platforms } = await setUp({ leakPullRequests: true })
    const { found } = await collect(platforms[name], topic, clock)
    const expected = simulator.expectedRecords(name, topic, queries[name](topic))
    expect(expected.length).toBeGreaterThan(200)
    expect(found.map(({ sourceId, sourceUrl }) => `${sourceId} ${sourceUrl}`).sort()).toEqual(
      expected.map(({ sourceId, sourceUrl }) => `${sourceId} ${sourceUrl}`).sort(),
    )
    expect(simulator.breachLog).toEqual([])
  })

  it('is read field by field', async () => {
    const { simulator, clock, platforms } = await setUp()
    const { found } = await collect(platforms[name], 'dark mode', clock)
    const byId = new Map(found.map((request) => [request.sourceId, request]))
    for (const { sourceId, record } of simulator.expectedRecords(name, 'dark mode')) {
      const request = byId.get(sourceId)!
      expect(request.commentCount).toBe(record.commentCount)
      expect(request.votes).toBe(name === 'x' ? Math.max(0, record.votes) : record.votes)
      expect(request.originalCreatedAt?.toISOString().slice(0, 19)).toBe(record.createdAt.toISOString().slice(0, 19))
      expect(request.authorHandle).toBe(
        record.author && (name === 'x' ? record.author.handle.replaceAll('-', '_') : record.author.handle),
      )
      expect(request.authorName).toBe(name === 'x' ? (record.author?.name ?? null) : null)
      expect(request.title).not.toBe('')
      if (name === 'reddit') expect(request.title).toBe(record.title)
      expect(request.description.isWellFormed()).toBe(true)
      expect(request.description).not.toMatch(/…\s*https:\/\/t\.co|\p{Cs}/u)
      expect(request.description).not.toContain('\u0000')
    }
  })

  it('waits for what it is told, and is never impolite', async () => {
    const { simulator, clock, platforms } = await setUp({
      limits: { [name]: { limit: 2, windowMs: 60_000 } },
      size: 650,
    })
    const start = clock.now().getTime()
    const { found, pages } = await collect(platforms[name], 'dark mode', clock)
    expect(found.length).toBe(simulator.expectedRecords(name, 'dark mode').length)
    expect(pages).toBeGreaterThanOrEqual(7)
    expect(clock.now().getTime() - start).toBe(180_000)
    expect(simulator.breachLog).toEqual([])
  })

  it.each(['rate_limit', 'secondary_rate_limit', 'silent_rate_limit'] as const)('obeys a %s', async (fault) => {
    const { simulator, clock, platforms } = await setUp()
    simulator.setFault(name, fault, { fromPage: 2 })
    const { found } = await collect(platforms[name], 'dark mode', clock)
    expect(new Set(found.map(({ sourceId }) => sourceId)).size).toBe(found.length)
    expect(found.length).toBe(simulator.expectedRecords(name, 'dark mode').length)
    expect(simulator.breachLog).toEqual([])
  })

  it.each([
    ['wrong_shape', 'bad_response'],
    ['html_page', 'bad_response'],
    ['empty_body', 'bad_response'],
    ['truncated_json', 'bad_response'],
    ['redirect_private', 'bad_response'],
  ] as const)('says of %s what it is', async (fault, code) => {
    const { simulator, platforms } = await setUp()
    simulator.setFault(name, fault)
    await platformError(fetchPageOrNull(platforms[name]), code)
    expect(simulator.requests.some(({ path }) => path === '/private')).toBe(false)
  })
})

describe('reddit', () => {
  it('ends after a thousand posts of more', async () => {
    const { simulator, clock, platforms } = await setUp({ size: 1_300 })
    const { found, pages } = await collect(platforms.reddit, 'dark mode', clock)
    expect(pages).toBe(10)
    expect(found.length).toBe(simulator.expectedRecords('reddit', 'dark mode').length)
    expect(found.length).toBeLessThan(1_000)
    expect(simulator.breaches).toBe(0)
  })

  it('fetches another token when one is refused or has expired, and asks for one at a time', async () => {
    const { simulator, clock, platforms } = await setUp()
    const tokenRequests = () => simulator.requests.filter(({ path }) => path === '/api/v1/access_token').length
    // One is served and one waits: a third would be told to come back.
    await Promise.all(topics.slice(0, 2).map((topic) => fetchPageOrNull(platforms.reddit, { topic })))
    expect(tokenRequests()).toBe(1)
    simulator.setFault('reddit', 'unauthorized')
    await fetchPageOrNull(platforms.reddit)
    expect(tokenRequests()).toBe(2)
    clock.forward(86_400_000)
    await fetchPageOrNull(platforms.reddit)
    expect(tokenRequests()).toBe(3)
    expect(simulator.requests.filter(({ status }) => status === 401)).toHaveLength(1)
  })
})

describe('x', () => {
  it('leaves out withheld posts and counts them', async () => {
    const records = [{ title: 'Please add tabs' }, { title: 'Please add more tabs', fate: 'removed' as const }]
    const { platforms } = await setUp({ records: { x: records } })
    const page = await fetchPageOrNull(platforms.x, { topic: 'tabs' })
    expect(page!.requests.map(({ title }) => title)).toEqual(['Please add tabs'])
    expect(page!.discarded).toEqual({ removed: 1 })
  })

  it('has no cap on its depth but the end', async () => {
    const { simulator, clock, platforms } = await setUp({ size: 2_500 })
    const { found } = await collect(platforms.x, 'dark mode', clock)
    expect(found.length).toBe(simulator.expectedRecords('x', 'dark mode').length)
    expect(found.length).toBeGreaterThan(2_300)
  })
})
