import { expect, it } from 'vitest'
import type { Discarded, DiscardReason } from '../database/column-types.ts'
import { platformError, testClient } from '../platforms/adapters/testing.ts'
import { createYoutube } from '../platforms/adapters/youtube/search.ts'
import { youtube as youtubeDefinition } from '../platforms/adapters/youtube/settings.ts'
import { memoryAdapterCache } from '../platforms/adapters/youtube/testing.ts'
import { createBudget, type OpenBudget } from '../platforms/budget/budget.ts'
import { createMemoryQuotas } from '../platforms/budget/quota.ts'
import { type FoundRequest, type Json, PlatformError } from '../platforms/platform.ts'
import type { SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

async function setUp(options: SimulatorOptions = {}) {
  const clock = movableClock()
  const simulator = await simulate({ limits: 'real', clock, ...options })
  const quotas = createMemoryQuotas()
  const openBudget: OpenBudget = (limits) => createBudget({ ...limits, platform: 'youtube', quotas })
  const { YOUTUBE_API_URL: baseUrl, YOUTUBE_API_KEY: key } = simulator.environment
  const client = testClient(clock)
  const youtube = createYoutube({ client, clock, openBudget, cache: memoryAdapterCache(), baseUrl: baseUrl!, key })
  const fetchPage = (topic: string, cursor: Json, pagesBefore: number) =>
    youtube.fetchPage({ topic, cursor, pagesBefore, signal: new AbortController().signal })

  /** All pages of a topic, waiting as long as told. */
  async function collect(topic: string, pagesBefore = 0) {
    const found: FoundRequest[] = []
    const discarded: Discarded = {}
    let pages = 0
    for (let cursor: Json = null; pages === 0 || cursor !== null; ) {
      try {
        const page = await fetchPage(topic, cursor, pagesBefore + pages)
        if (page === null) break
        found.push(...page.requests)
        for (const [reason, count] of Object.entries(page.discarded ?? {})) {
          discarded[reason as DiscardReason] = (discarded[reason as DiscardReason] ?? 0) + count
        }
        cursor = page.nextCursor
        pages += 1
      } catch (error) {
        if (!(error instanceof PlatformError && error.retryAt)) throw error
        clock.forward(error.retryAt.getTime() - clock.now().getTime())
      }
    }
    return { found, discarded, pages }
  }
  return { simulator, clock, collect, fetchPage, youtube }
}

it.each([
  ['some', 160, 0],
  ['some, begun where another job stopped', 160, 13],
  ['so many that a video has several pages', 4_000, 0],
])('every wish on the videos of a topic is found once and nothing else: %s', async (_, size, pagesBefore) => {
  const { simulator, collect } = await setUp({ size })
  const { found } = await collect('dark mode', pagesBefore)
  const expected = simulator.expectedRecords('youtube', 'dark mode')
  expect(expected.length).toBeGreaterThan(size / 2)
  const addresses = (list: { sourceId: string; sourceUrl: string }[]) =>
    list.map(({ sourceId, sourceUrl }) => `${sourceId} ${sourceUrl}`).sort()
  expect(addresses(found)).toEqual(addresses(expected))
  expect(simulator.breachLog).toEqual([])
  expect(simulator.requests.filter(({ path }) => path.endsWith('/search'))).toHaveLength(1)
})

it('a video with closed comments and a deleted one are queried once, and cost no page', async () => {
  const { simulator, collect } = await setUp({ size: 160 })
  const { pages } = await collect('dark mode')
  const calls = simulator.requests.filter(({ path }) => path.endsWith('/commentThreads'))
  expect(calls.filter(({ status }) => status === 403 || status === 404)).toHaveLength(2)
  expect(pages).toBe(calls.length - 2)
  expect(pages).toBe(6 * 4)
})

it('texts are stored as people wrote them, and their video is their source', async () => {
  const { collect } = await setUp({ records: { youtube: [{ title: 'Please add <b> & "tabs"' }] } })
  const { found } = await collect('tabs')
  expect(found[0]).toMatchObject({
    title: 'Please add <b> & "tabs"',
    description: 'Please add <b> & "tabs"',
    sourceName: 'Please add <b> & "tabs"',
  })
})

it('where YouTube ignores the search terms, chatter comes too, and only wishes can have the topic of their video', async () => {
  const { simulator, collect } = await setUp({ size: 160, behaviours: { youtube: { searchTerms: 'ignored' } } })
  const { found } = await collect('dark mode')
  const joinable = found.filter((request) => youtubeDefinition.contextIsTopic!(request))
  const idsOf = (list: { sourceId: string }[]) => [...new Set(list.map(({ sourceId }) => sourceId))].sort()
  expect(idsOf(found).length).toBeGreaterThan(idsOf(joinable).length)
  expect(idsOf(joinable)).toEqual(idsOf(simulator.expectedRecords('youtube', 'dark mode')))
  expect(found.every(({ sourceName }) => sourceName?.toLowerCase().includes('dark mode'))).toBe(true)
})

it('replies and comments that are not public are left out and counted', async () => {
  const records = [
    { title: 'Please add tabs', kind: 'pull_request' as const },
    { title: 'Please add more tabs', fate: 'private' as const },
    { title: 'Please add all tabs' },
  ]
  const { collect } = await setUp({ records: { youtube: records } })
  const { found, discarded } = await collect('tabs')
  expect(found.map(({ title }) => title)).toEqual(['Please add all tabs'])
  expect(discarded).toEqual({ reply: 1, notPublic: 1 })
})

it('known comments are read again with their votes, and one that the answer does not have proves nothing', async () => {
  const { simulator, collect, youtube } = await setUp({
    records: { youtube: [{ title: 'Please add tabs', votes: 3 }] },
  })
  const { found } = await collect('tabs')
  simulator.bumpVotes(4)
  const handle = found[0]!.refreshHandle!
  const again = await youtube.refresh!.read([handle, 'UgDeleted v1 A title'], new AbortController().signal)
  expect(again).toEqual([
    { handle, state: 'found', request: { ...found[0]!, votes: 7 } },
    { handle: 'UgDeleted v1 A title', state: 'unreadable' },
  ])
})

it('when the searches of a day are used up new topics end, known ones go on, and tomorrow all do', async () => {
  const { simulator, clock, fetchPage } = await setUp({ size: 16 })
  for (let topic = 0; topic < 100; topic += 1) {
    await fetchPage(`topic ${topic}`, null, 0)
    clock.forward(1_000)
  }
  await platformError(fetchPage('one more', null, 0), 'quota_exhausted')
  expect(await fetchPage('topic 5', null, 1)).not.toBeNull()
  // It was midnight in Greenwich.
  clock.forward(8 * 3_600_000)
  expect(await fetchPage('one more', null, 0)).not.toBeNull()
  expect(simulator.breachLog).toEqual([])
})

it('what others have used of the quota is believed until midnight', async () => {
  const { simulator, clock, fetchPage } = await setUp({ limits: { youtube: { limit: 1, windowMs: 1_000 } } })
  await fetchPage('dark mode', null, 0)
  await platformError(fetchPage('tabs', null, 0), 'quota_exhausted')
  clock.forward(60 * 60_000)
  await platformError(fetchPage('tabs', null, 0), 'quota_exhausted')
  expect(simulator.requests.filter(({ path }) => path.endsWith('/search'))).toHaveLength(2)
})
