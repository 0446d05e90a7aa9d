import { describe, expect, it } from 'vitest'
import { accessToken } from './platforms/bluesky-token.ts'
import type { SimulatedPlatformName } from './platforms/index.ts'
import { ask, movableClock, simulate, type Wire } from './testing.ts'

/** A search for what is new in the platform's own words, and how its answer says when something was posted. */
interface Search {
  platform: SimulatedPlatformName
  path: string
  query: Record<string, string | number>
  headers?: Record<string, string>
  dates(body: Wire): unknown[]
}

const instant = '2025-01-01T00:00:00Z'
const second = Date.parse(instant) / 1000
/** From the clock of the simulator back to the instant. */
const ageSeconds = Date.UTC(2026, 10, 20) / 1000 - second

type Deep = Record<string, Record<string, Record<string, Record<string, unknown>>>>
const list = (value: unknown) => value as Deep[]

const searches: Search[] = [
  {
    platform: 'github',
    path: '/search/issues',
    query: { q: `dark mode created:>=${instant}`, sort: 'created', order: 'desc', per_page: 100 },
    dates: ({ items }) => items.map((item) => item.created_at),
  },
  {
    platform: 'hackernews',
    path: '/search_by_date',
    query: { query: 'dark mode', numericFilters: `created_at_i>=${second}`, hitsPerPage: 100 },
    dates: ({ hits }) => hits.map((hit) => hit.created_at),
  },
  {
    platform: 'stackexchange',
    path: '/search/advanced',
    query: { q: 'dark mode', site: 'meta', sort: 'creation', order: 'desc', fromdate: second, pagesize: 100 },
    dates: ({ items }) => items.map((item) => new Date(Number(item.creation_date) * 1000).toISOString()),
  },
  {
    platform: 'discourse',
    path: '/meadow/search.json',
    query: { q: 'dark mode feature request in:first order:latest_topic after:2025-01-01' },
    dates: ({ posts }) => list(posts).map((post) => post.created_at),
  },
  {
    platform: 'lemmy',
    path: '/thicket/api/v4/post/list',
    query: { search_term: 'dark mode', type_: 'all', sort: 'new', time_range_seconds: ageSeconds, limit: 50 },
    dates: ({ posts }) => list(posts).map(({ post }) => post!.published_at),
  },
  {
    platform: 'gitlab',
    path: '/projects/quillbox%2Fdesk/issues',
    query: { search: 'dark mode', order_by: 'created_at', sort: 'desc', created_after: instant, per_page: 100 },
    dates: (body) => list(body).map((issue) => issue.created_at),
  },
  {
    platform: 'youtube',
    path: '/search',
    query: { q: 'dark mode', type: 'video', part: 'snippet', key: 'k', order: 'date', publishedAfter: instant },
    dates: ({ items }) => (items as Deep[]).map(({ snippet }) => snippet!.publishedAt),
  },
  {
    platform: 'bluesky',
    path: '/app.bsky.feed.searchPosts',
    query: { q: 'dark mode', sort: 'latest', since: instant, limit: 100 },
    headers: { authorization: `Bearer ${accessToken('password', Date.UTC(2026, 10, 20))}` },
    dates: ({ posts }) => list(posts).map(({ record }) => record!.createdAt),
  },
]

const newestOf = (dates: Date[]) => dates.toSorted((a, b) => b.getTime() - a.getTime())

describe.each(searches)('a search of $platform for what is new', ({ platform, path, query, headers, dates }) => {
  it('has the order and the instant of its words', async () => {
    const simulator = await simulate({ clock: movableClock(), size: 90 })
    const { body } = await ask(`${simulator.urls[platform]}${path}`, query, headers)
    const found = dates(body).map((date) => new Date(String(date)))
    expect(found.length).toBeGreaterThan(1)
    expect(found).toEqual(newestOf(found))
    expect(found.at(-1)!.getTime()).toBeGreaterThanOrEqual(second * 1000)
  })

  it('has neither where the platform ignores them', async () => {
    const newest = { since: 'ignored', order: 'ignored' } as const
    const simulator = await simulate({ clock: movableClock(), size: 90, behaviours: { newest } })
    const { body } = await ask(`${simulator.urls[platform]}${path}`, query, headers)
    const found = dates(body).map((date) => new Date(String(date)))
    expect(found).not.toEqual(newestOf(found))
    expect(newestOf(found).at(-1)!.getTime()).toBeLessThan(second * 1000)
  })
})
