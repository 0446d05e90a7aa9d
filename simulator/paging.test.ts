import { describe, expect, it } from 'vitest'
import { newestFirst } from './newest-first-testing.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from './platforms/index.ts'
import type { LoggedRequest } from './server.ts'
import type { PlatformSimulator } from './simulator.ts'
import { ask, nextLink, simulate } from './testing.ts'
import { requestPhrases } from './vocabulary.ts'

function sourceIds(simulator: PlatformSimulator, ...rest: Parameters<PlatformSimulator['expectedRecords']>): string[] {
  return simulator.expectedRecords(...rest).map((expected) => expected.sourceId)
}

async function allGitHub(simulator: PlatformSimulator, q: string, size: number): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  let next: string | null =
    `${simulator.urls.github}/search/issues?${new URLSearchParams({ q, per_page: String(size) })}`
  while (next) {
    const { body, headers } = await ask(next.split('?')[0]!, Object.fromEntries(new URL(next).searchParams))
    items.push(...body.items)
    next = nextLink(headers)
  }
  return items
}

async function allHackerNews(simulator: PlatformSimulator, query: string, size: number): Promise<string[]> {
  const ids: string[] = []
  for (let page = 0, pages = 1; page < pages; page += 1) {
    const { body } = await ask(`${simulator.urls.hackernews}/search`, { query, page, hitsPerPage: size })
    pages = body.nbPages
    ids.push(...body.hits.map((hit) => String(hit.objectID)))
  }
  return ids
}

async function allStackExchange(simulator: PlatformSimulator, q: string, size: number): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1, more = true; more; page += 1) {
    const parameters = { q, site: 'meta', tagged: 'feature-request', page, pagesize: size }
    const { body } = await ask(`${simulator.urls.stackexchange}/search/advanced`, parameters)
    more = body.has_more
    ids.push(...body.items.map((item) => String(item.question_id)))
  }
  return ids
}

describe('paging to the end gives each record exactly once', () => {
  it.each([30, 100])('on GitHub by Link, %i at a time', async (size) => {
    const simulator = await simulate()
    const items = await allGitHub(simulator, 'dark mode is:issue is:open label:enhancement', size)
    const expected = sourceIds(simulator, 'github', 'Dark Mode')
    expect(items.map((item) => String(item.id)).sort()).toEqual(expected.sort())
    expect(expected).toHaveLength(250 - 13)
  })

  it.each([20, 100])('on Hacker News by nbPages, %i at a time', async (size) => {
    const simulator = await simulate()
    const ids = await allHackerNews(simulator, 'dark mode', size)
    expect(ids.sort()).toEqual(sourceIds(simulator, 'hackernews', 'dark mode').sort())
    expect(ids).toHaveLength(250)
  })

  it.each([30, 100])('on Stack Exchange by has_more, %i at a time', async (size) => {
    const simulator = await simulate()
    const ids = await allStackExchange(simulator, 'dark mode', size)
    expect(ids.sort()).toEqual(sourceIds(simulator, 'stackexchange', 'dark mode').sort())
    expect(ids).toHaveLength(250)
  })

  it('also when phrase after phrase is searched', async () => {
    const simulator = await simulate()
    const found: string[] = []
    for (const phrase of requestPhrases) {
      const ids = await allHackerNews(simulator, `dark mode "${phrase}"`, 100)
      expect(ids.length).toBeGreaterThan(60)
      found.push(...ids)
    }
    expect(found.sort()).toEqual(sourceIds(simulator, 'hackernews', 'dark mode').sort())
  })
})

describe('the depth of a search', () => {
  it('ends on GitHub with a 422 after a thousand', async () => {
    const simulator = await simulate({ size: 1_200 })
    const items = await allGitHub(simulator, '"dark mode"', 100)
    expect(items).toHaveLength(1_000)
    const url = `${simulator.urls.github}/search/issues`
    const last = await ask(url, { q: 'dark mode', per_page: 100, page: 10 })
    expect(last.body.total_count).toBe(1_200)
    expect(nextLink(last.headers)).toBeNull()
    const beyond = await ask(url, { q: 'dark mode', per_page: 100, page: 11 })
    expect(beyond.status).toBe(422)
    expect(beyond.body.message).toBe('Only the first 1000 search results are available')
  })

  it('ends on Hacker News with empty pages after a thousand', async () => {
    const simulator = await simulate({ size: 1_200 })
    expect(new Set(await allHackerNews(simulator, 'dark mode', 30)).size).toBe(1_000)
    const { body } = await ask(`${simulator.urls.hackernews}/search`, { query: 'dark mode', hitsPerPage: 30, page: 34 })
    expect([body.nbHits, body.nbPages, body.hits.length]).toEqual([1_200, 34, 0])
  })

  it('ends on Stack Exchange with page 25 for a client without a key', async () => {
    const simulator = await simulate({ size: 60 })
    const url = `${simulator.urls.stackexchange}/search/advanced`
    const parameters = { q: 'dark mode', site: 'meta', pagesize: 2 }
    expect((await ask(url, { ...parameters, page: 25 })).body.has_more).toBe(true)
    const refused = await ask(url, { ...parameters, page: 26 })
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ error_id: 403, error_name: 'access_denied' })
    expect((await ask(url, { ...parameters, page: 26, key: 'k' })).body.items).toHaveLength(2)
  })

  it('caps and defaults the size of a page as each platform does', async () => {
    const simulator = await simulate()
    const github = `${simulator.urls.github}/search/issues`
    expect((await ask(github, { q: 'dark mode' })).body.items).toHaveLength(30)
    expect((await ask(github, { q: 'dark mode', per_page: 500 })).body.items).toHaveLength(100)
    expect((await ask(`${simulator.urls.hackernews}/search`, { query: 'dark mode' })).body.hits).toHaveLength(20)
    const tooLarge = { q: 'dark mode', site: 'meta', pagesize: 101 }
    expect((await ask(`${simulator.urls.stackexchange}/search/advanced`, tooLarge)).body.error_message).toBe('pagesize')
  })
})

it('searches only the given records where there are some', async () => {
  const records = { github: [{ title: 'Dark mode for tables' }, { title: 'Light mode', body: 'not dark at all' }] }
  const simulator = await simulate({ records })
  const url = `${simulator.urls.github}/search/issues`
  expect((await ask(url, { q: 'dark mode' })).body.total_count).toBe(2)
  expect((await ask(url, { q: '"dark mode"' })).body.items.map((item) => item.title)).toEqual(['Dark mode for tables'])
  expect((await ask(url, { q: 'purple' })).body.total_count).toBe(0)
})

describe('through its adapter, within its real limits,', () => {
  /** Records that fill more than a page of each source. */
  const sizes: Record<SimulatedPlatformName, number> = {
    github: 210,
    hackernews: 450,
    stackexchange: 110,
    discourse: 110,
    lemmy: 250,
    gitlab: 110,
    reddit: 210,
    x: 210,
    youtube: 160,
    bluesky: 450,
    fider: 80,
    rss: 80,
    appstore: 110,
    board: 110,
  }
  /** The sources that the adapter searched, where a search without one means the first of them. */
  const searches: Partial<Record<SimulatedPlatformName, (request: LoggedRequest) => Record<string, string>>> = {
    stackexchange: ({ query }) => ({ q: 'dark mode', site: query.site! }),
    gitlab: ({ path }) => ({ search: 'dark mode', project: decodeURIComponent(path.split('/')[2]!) }),
  }
  /** Without the place that adapters put before an id. */
  const idOf = (sourceId: string) => sourceId.replace(/^(?!https?:|at:).*:/, '')

  it.each(simulatedPlatformNames)('%s gives each record exactly once, and nothing else', async (name) => {
    const { simulator, walk } = await newestFirst(name, { size: sizes[name], limits: 'real' })
    const { found, pages } = await walk(null)
    const search = searches[name]
    const queries = search ? simulator.requests.map(search) : []
    expect(found.map(({ sourceId }) => idOf(sourceId)).sort()).toEqual(
      sourceIds(simulator, name, 'dark mode', ...queries).sort(),
    )
    expect(pages.length).toBeGreaterThan(1)
    expect(simulator.breachLog).toEqual([])
    expect(simulator.requests.filter(({ status }) => status === 429)).toEqual([])
  })
})
