import { describe, expect, it } from 'vitest'
import { discussionQueries, githubQuery } from '../src/platforms/adapters/github/query.ts'
import { fetchPage, fetchPageOrNull } from '../src/platforms/adapters/testing.ts'
import type { GivenRecord } from './corpus.ts'
import { newestFirst } from './newest-first-testing.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from './platforms/index.ts'

// Takes seconds: topics of a thousand posts are walked.

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Four and a half days before the clock of the tests. */
const instant = new Date('2026-11-15T12:00:00.500Z')
const second = 1_794_744_000

/** How a request for what is new differs from the ordinary one; a text that begins with `…` is added to the parameter. */
const differences: Record<SimulatedPlatformName, { path?: string; query: Record<string, string | undefined> }> = {
  github: { query: { q: '… created:>=2026-11-15T12:00:00Z', sort: 'created', order: 'desc' } },
  hackernews: { path: '/search_by_date', query: { numericFilters: `created_at_i>${second - 1}` } },
  stackexchange: { query: { sort: 'creation', fromdate: String(second) } },
  discourse: { query: { q: '… order:latest_topic after:2026-11-14' } },
  lemmy: { query: { sort: 'New' } },
  gitlab: { query: { created_after: '2026-11-15T12:00:00.500Z' } },
  reddit: { query: { sort: 'new' } },
  x: { query: { start_time: '2026-11-15T12:00:00Z' } },
  youtube: { query: { order: 'time', searchTerms: undefined } },
  bluesky: { query: { since: '2026-11-15T12:00:00.500Z' } },
  // A feed is the newest first in any case.
  rss: { query: {} },
  // The feed of reviews, too.
  appstore: { query: {} },
  // It has one page, in the order of its search.
  fider: { query: {} },
  // Its description says that it is the newest first in any case.
  board: { query: {} },
}

async function lastRequest(name: SimulatedPlatformName, newestSince: Date | null) {
  const { simulator, platform } = await newestFirst(name, { size: 40 })
  await fetchPageOrNull(platform, { newestSince })
  const { path, query } = simulator.requests.filter(({ page }) => page > 0).at(-1)!
  return { path, query }
}

describe.each(simulatedPlatformNames)('a request to %s', (name) => {
  it('differs in its order and its instant, and in nothing else', async () => {
    const [usual, asked] = [await lastRequest(name, null), await lastRequest(name, instant)]
    const expected: Record<string, string | undefined> = { ...usual.query }
    for (const [parameter, value] of Object.entries(differences[name].query)) {
      expected[parameter] = value?.startsWith('…') ? usual.query[parameter] + value.slice(1) : value
    }
    expect(asked).toEqual({ path: differences[name].path ?? usual.path, query: JSON.parse(JSON.stringify(expected)) })
  })
})

it('Lemmy 1.0 takes an age: in whole hours, and an hour more', async () => {
  const { simulator, platform } = await newestFirst('lemmy', { size: 40 })
  await fetchPageOrNull(platform, { newestSince: instant, pagesBefore: 2 })
  const { path, query } = simulator.requests.at(-1)!
  expect(path).toBe('/thicket/api/v4/post/list')
  expect(query).toMatchObject({ sort: 'new', time_range_seconds: String((4 * 24 + 12 + 1) * 3600) })
})

it('GitHub: the instant is left out of a query that it would cost a word, the order never', () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')
  expect(githubQuery(words(2), { isAdvanced: true, since: instant })).toMatch(/ created:>=2026-11-15T12:00:00Z$/)
  expect(githubQuery(words(11), { isAdvanced: true, since: instant })).toBe(githubQuery(words(11)))
  for (const query of discussionQueries('dark mode', undefined, instant)) {
    expect(query).toMatch(/ sort:created-desc created:>=2026-11-15T12:00:00Z$/)
  }
  expect(discussionQueries(words(24), 'a/b', instant)[0]).toMatch(/ sort:created-desc$/)
})

it('GitHub: a live call for what is new shares no search', async () => {
  const { simulator, platform } = await newestFirst('github', { size: 40 })
  const request = { newestSince: instant, mayShare: true }
  await Promise.all(['dark mode', 'tabs'].map((topic) => fetchPageOrNull(platform, { ...request, topic })))
  expect(simulator.requests.map(({ query }) => query.sort)).toEqual(['created', 'created'])
})

it('Hacker News: a filter by date that is refused is left out, and nothing that keeps near-spellings out', async () => {
  const behaviours = { hackernews: { dateFilter: 'refused' as const } }
  const { simulator, platform, walk } = await newestFirst('hackernews', { size: 1_000, behaviours })
  const all = await walk(null)
  simulator.requests.length = 0
  const since = new Date('2024-01-01T00:00:00Z')
  const recent = await walk(since)
  expect(recent.idsSince).toEqual(all.idsSince)
  expect(recent.pages.length).toBeLessThan(all.pages.length)
  const [refused, ...others] = simulator.requests
  expect([refused!.status, refused!.query.numericFilters === undefined]).toEqual([400, false])
  expect(
    new Set(others.map(({ status, query }) => `${status} ${query.numericFilters} ${query.typoTolerance}`)),
  ).toEqual(new Set(['200 undefined false']))
  await fetchPage(platform)
  expect(simulator.requests.at(-1)!.query).toMatchObject({ typoTolerance: 'false', queryType: 'prefixNone' })
})

describe('X', () => {
  const now = Date.UTC(2026, 10, 20)
  const posts = (count: number): GivenRecord[] =>
    Array.from({ length: count }, (_, index) => ({
      title: `Please add dark mode ${index}`,
      createdAt: new Date(now - (index + 1) * hourMs),
    }))
  const startOf = async (since: Date) => {
    const { simulator, walk } = await newestFirst('x', { records: { x: posts(150) } })
    const { found } = await walk(since)
    return { found, starts: simulator.requests.map(({ query }) => query.start_time), simulator }
  }

  it('answers what is new since an instant of this week, with the same start on every page', async () => {
    const { found, starts, simulator } = await startOf(new Date(now - 120 * hourMs))
    expect(found).toHaveLength(120)
    expect(starts).toEqual(Array(2).fill('2026-11-15T00:00:00Z'))
    expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200])
  })

  it('is asked without a start that it would refuse as too old', async () => {
    for (const days of [6.99, 7, 30]) {
      const { found, starts } = await startOf(new Date(now - days * dayMs))
      expect([found.length, new Set(starts)]).toEqual([150, new Set([undefined])])
    }
  })

  it('is never asked for a start in the future', async () => {
    for (const since of [now - 1_000, now + dayMs]) {
      const { found, starts } = await startOf(new Date(since))
      expect([found.length, starts]).toEqual([0, ['2026-11-19T23:58:00Z']])
    }
  })
})

describe('YouTube', () => {
  it('searches once more, for young videos; the cache has both searches for the next pages', async () => {
    const { simulator, walk } = await newestFirst('youtube', { size: 160 })
    await walk(instant)
    const searches = simulator.requests.filter(({ path }) => path === '/search').map(({ query }) => query)
    expect(searches.map(({ order, publishedAfter }) => [order, publishedAfter])).toEqual([
      ['relevance', undefined],
      ['date', '2026-11-01T00:00:00Z'],
    ])
  })

  it('reads no more of a video than what is new, and one page of a quiet one', async () => {
    const { simulator, walk } = await newestFirst('youtube', { size: 2_400 })
    await walk(new Date('2024-01-01T00:00:00Z'))
    const pagesOf = (count: number) =>
      simulator.requests.filter(({ page, path }) => path !== '/search' && page === count)
    // Six of eight videos are open; each has 300 comments, of which about 180 are new.
    expect([pagesOf(1).length, pagesOf(2).length, pagesOf(3).length]).toEqual([8, 6, 0])
  })
})
