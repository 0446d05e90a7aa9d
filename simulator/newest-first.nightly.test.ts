import { describe, expect, it } from 'vitest'
import type { Behaviours } from './behaviour.ts'
import { isNew, newestFirst, since } from './newest-first-testing.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from './platforms/index.ts'

// Holds (Watches, news and channels): collecting news finds everything since its instant, whether platforms obey, ignore or refuse it; idle sources end alone

/** Records of a topic that fill several pages of each source, of which the last ones are older. */
const sizes: Record<SimulatedPlatformName, number> = {
  github: 400,
  hackernews: 1_000,
  stackexchange: 350,
  discourse: 250,
  lemmy: 600,
  gitlab: 350,
  reddit: 350,
  x: 350,
  youtube: 1_100,
  bluesky: 1_000,
  fider: 80,
  rss: 80,
  appstore: 240,
  board: 350,
}

/** Platforms whose parameter means exactly the instant, for everything that they return. */
const isExact = new Set<SimulatedPlatformName>(['github', 'hackernews', 'stackexchange', 'gitlab', 'bluesky'])

/** Platforms whose sources have one page, in the order of their search. */
const hasOnePage = new Set<SimulatedPlatformName>(['fider', 'rss'])

describe.each(simulatedPlatformNames)('what is new on %s', (name) => {
  const options = { size: sizes[name] }
  let everything: { idsSince: string[]; pages: number } | undefined

  const setUp = (newest: Partial<Behaviours['newest']> = {}) =>
    newestFirst(name, { ...options, behaviours: { newest, github: { discussions: 300 } } })

  /** What a walk without an instant finds. */
  async function all() {
    const { walk } = everything ? { walk: null } : await setUp()
    const whole = await walk?.(null)
    everything ??= { idsSince: whole!.idsSince, pages: whole!.pages.length }
    return everything
  }

  it('is found in fewer pages than everything, each post once, and the walk ends', async () => {
    const { walk, simulator } = await setUp()
    const recent = await walk(since)
    expect(recent.idsSince).toEqual((await all()).idsSince)
    expect(recent.idsSince.length).toBeGreaterThan(options.size / 3)
    expect(recent.found.filter(isNew)).toHaveLength(recent.idsSince.length)
    expect(recent.pages.length).toBeGreaterThan(1)
    if (!hasOnePage.has(name)) expect(recent.pages.length).toBeLessThan((await all()).pages)
    if (isExact.has(name)) expect(recent.ids).toEqual(recent.idsSince)
    expect(simulator.breachLog).toEqual([])
  })

  it('is found where the instant is ignored: an older post ends each source', async () => {
    const { walk } = await setUp({ since: 'ignored' })
    const recent = await walk(since)
    expect(recent.idsSince).toEqual((await all()).idsSince)
    if (!hasOnePage.has(name)) expect(recent.pages.length).toBeLessThan((await all()).pages)
    // Older posts of the pages that were fetched are not dropped.
    expect(recent.ids.length).toBeGreaterThan(recent.idsSince.length)
  })

  it.each(['obeyed', 'ignored'] as const)('is found in any order, with the instant %s', async (instant) => {
    const { walk } = await setUp({ since: instant, order: 'ignored' })
    expect((await walk(since)).idsSince).toEqual((await all()).idsSince)
  })

  it('costs one page of each source at most where nothing is new', async () => {
    const { walk, simulator } = await setUp()
    const yesterday = new Date('2026-11-19T00:00:00Z')
    const { found } = await walk(yesterday)
    expect(found.filter(({ originalCreatedAt }) => originalCreatedAt! >= yesterday)).toEqual([])
    expect(simulator.requests.filter(({ page }) => page > 1)).toEqual([])
  })
})

describe('what is new in the sources of an account', () => {
  const options = { size: 300, behaviours: { github: { discussions: 200 } } }
  const own: readonly [SimulatedPlatformName, string[]][] = [
    ['stackexchange', ['meta', 'softwarerecs']],
    ['gitlab', ['quillbox/desk:type::feature', 'quillbox']],
  ]
  it.each(own)('of %s is found in each of them', async (name, sources) => {
    const { walk } = await newestFirst(name, options)
    const all = await walk(null, sources)
    const recent = await walk(since, sources)
    expect(recent.idsSince).toEqual(all.idsSince)
    expect(recent.pages.length).toBeLessThan(all.pages.length)
    expect(new Set(recent.found.map(({ ownSource }) => ownSource))).toEqual(new Set(sources))
  })

  it.each(['obeyed', 'ignored'] as const)(
    'of GitHub is in issues and in discussions, the instant %s',
    async (instant) => {
      const behaviours = { ...options.behaviours, newest: { since: instant } }
      const { walk } = await newestFirst('github', { ...options, behaviours })
      const sources = [...new Set((await walk(null)).found.map(({ sourceName }) => sourceName!.toLowerCase()))].slice(
        0,
        3,
      )
      const all = await walk(null, sources)
      const recent = await walk(since, sources)
      expect(recent.idsSince).toEqual(all.idsSince)
      expect(recent.idsSince.some((id) => id.startsWith('discussion:'))).toBe(true)
      expect(recent.idsSince.some((id) => !id.startsWith('discussion:'))).toBe(true)
    },
  )
})

it('what is new on Reddit is found where operators are text', async () => {
  const { walk } = await newestFirst('reddit', { size: 900 }, (urls) => ({ REDDIT_API_URL: `${urls.reddit}/plain` }))
  const all = await walk(null)
  const recent = await walk(since)
  expect(recent.idsSince).toEqual(all.idsSince)
  expect(recent.idsSince.length).toBeGreaterThan(300)
  expect(recent.pages.length).toBeLessThan(all.pages.length)
})
