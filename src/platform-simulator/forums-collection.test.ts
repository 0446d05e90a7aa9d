import { describe, expect, it } from 'vitest'
import { createDiscourse } from '../platforms/adapters/discourse/search.ts'
import { discourseSources } from '../platforms/adapters/discourse/source.ts'
import { createLemmy } from '../platforms/adapters/lemmy/search.ts'
import { createReddit } from '../platforms/adapters/reddit/search.ts'
import {
  fetchPageOrNull,
  openTestBudget as openBudget,
  privateTargets,
  testClient,
} from '../platforms/adapters/testing.ts'
import { type FoundRequest, type Json, type Page, type Platform, SourceRefusedError } from '../platforms/platform.ts'
import type { GivenRecord } from './corpus.ts'
import type { PlatformSimulator } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

const { signal } = new AbortController()

/** All pages, one after the other; a second passes between two of them. */
async function pagesOf(
  platform: Platform,
  clock: ReturnType<typeof movableClock>,
  sources?: string[],
): Promise<Page[]> {
  const pages: Page[] = []
  let cursor: Json = null
  do {
    const page = await fetchPageOrNull(platform, { cursor, ...(sources ? { sources } : {}) })
    if (page) pages.push(page)
    cursor = page?.nextCursor ?? null
    clock.forward(4_000)
  } while (cursor !== null)
  return pages
}

const requestsOf = (pages: Page[]): FoundRequest[] => pages.flatMap(({ requests }) => requests)
const discardedOf = (pages: Page[]) => pages.map(({ discarded }) => discarded)

describe('Discourse', () => {
  async function setUp(options: Parameters<typeof simulate>[0], path = '/harbour/c/feature-requests/13') {
    const clock = movableClock()
    const simulator = await simulate({ clock, ...options })
    const urls = [`${simulator.urls.discourse}${path}`]
    return {
      clock,
      simulator,
      discourse: createDiscourse({ client: testClient(clock, privateTargets), clock, openBudget, urls }),
    }
  }

  it('tells what became of a wish by tags and marks, and leaves removed topics out', async () => {
    const wish = (name: string, more: Partial<GivenRecord>): GivenRecord => ({ title: `Dark mode: ${name}`, ...more })
    const discourse = [
      wish('open', {}),
      wish('planned', { tags: ['planned'] }),
      wish('started', { tags: ['in-progress'] }),
      wish('solved', { resolution: 'completed' }),
      wish('declined', { resolution: 'not_planned' }),
      wish('archived', { fate: 'archived' }),
      wish('removed', { fate: 'removed' }),
    ]
    for (const path of ['/harbour/c/feature-requests/13', '/quarry/tag/feature-request']) {
      const { discourse: adapter, clock } = await setUp({ records: { discourse } }, path)
      const pages = await pagesOf(adapter, clock)
      expect(Object.fromEntries(requestsOf(pages).map(({ title, status }) => [title.slice(11), status]))).toEqual({
        open: 'open',
        planned: 'planned',
        started: 'in_progress',
        solved: 'completed',
        declined: 'declined',
        archived: 'closed',
      })
      expect(discardedOf(pages)).toEqual([{ removed: 1 }])
    }
  })

  it('has whole texts for five excerpts of a page, and marks the others', async () => {
    const { discourse, simulator, clock } = await setUp({ size: 40 })
    const [page] = await pagesOf(discourse, clock)
    const wasCut = (body: string | null) => [...(body ?? '')].length > 200
    const records = simulator.expectedRecords('discourse', 'dark mode', {
      q: 'dark mode category:13',
      forum: 'harbour',
    })
    const cut = records.filter(({ record }) => wasCut(record.body)).length
    expect(cut).toBeGreaterThan(5)
    expect(page!.requests.filter(({ excerpt }) => excerpt)).toHaveLength(cut - 5)
    expect(page!.requests.filter(({ description }) => [...description].length > 220).length).toBeGreaterThan(0)
    expect(simulator.requests.filter(({ path }) => path.startsWith('/harbour/t/'))).toHaveLength(5)
    expect(simulator.breaches).toBe(0)
  })

  it('searches the forum that a job names, and says so', async () => {
    const { discourse, simulator, clock } = await setUp({ size: 60 })
    const own = discourseSources.normalise(`${simulator.urls.discourse}/quarry/tag/feature-request/`)!
    const requests = requestsOf(await pagesOf(discourse, clock, [own]))
    expect(requests).toHaveLength(60)
    expect(new Set(requests.map(({ ownSource }) => ownSource))).toEqual(new Set([own]))
    expect(simulator.requests.every(({ path }) => path.startsWith('/quarry/'))).toBe(true)
  })

  it.each([
    ['/harbour/c/feature-requests/13', true],
    ['/harbour/c/feature-requests', true],
    ['/quarry/tag/feature-request', true],
    ['/meadow', true],
    ['/harbour/c/moderators/98', false],
    ['/harbour/c/moderators', false],
    ['/harbour/c/members/99', false],
    ['/harbour/c/nosuch/77', false],
    ['/quarry/tag/nosuch', false],
    ['/cellar/c/feature-requests/13', false],
    ['/nosuch', false],
  ])('verifies whether %s is public: %s', async (path, isPublic) => {
    const { discourse, simulator } = await setUp({})
    const verified = discourse.verifySource!(`${simulator.urls.discourse}${path}`, signal)
    if (isPublic) await verified
    else await expect(verified).rejects.toBeInstanceOf(SourceRefusedError)
  })
})

describe('Lemmy', () => {
  async function setUp(path: string, lemmy: GivenRecord[]) {
    const clock = movableClock()
    const simulator = await simulate({ clock, records: { lemmy } })
    const urls = [`${simulator.urls.lemmy}${path}`]
    return { clock, simulator, lemmy: createLemmy({ client: testClient(clock), clock, openBudget, urls }) }
  }
  const wish = (index: number, more: Partial<GivenRecord> = {}): GivenRecord => ({
    title: `Feature request: dark mode ${index}`,
    ...more,
  })

  it.each(['/orchard', '/thicket'])(
    'leaves removed posts out on %s, and finds the wish behind the words',
    async (path) => {
      const after: GivenRecord = { title: 'Dark mode [feature request]' }
      const { lemmy, clock } = await setUp(path, [wish(1), wish(2, { fate: 'removed' }), after])
      const pages = await pagesOf(lemmy, clock)
      expect(requestsOf(pages).map(({ title }) => title)).toEqual([wish(1).title, after.title])
      expect(requestsOf(pages).map(({ status }) => status)).toEqual([null, null])
      expect(discardedOf(pages)[0]).toEqual({ removed: 1 })
    },
  )

  it('leaves private communities of Lemmy 1.0 out', async () => {
    const { lemmy, clock } = await setUp('/thicket', [wish(1), wish(2, { fate: 'private' })])
    const pages = await pagesOf(lemmy, clock)
    expect([requestsOf(pages).length, discardedOf(pages)[0]]).toEqual([1, { notPublic: 1 }])
  })

  it.each([
    ['/thicket', '/thicket/api/v4/post/list', 120],
    ['/bramble', '/bramble/api/v3/search', 18],
    ['/orchard', '/orchard/api/v3/search', 120],
  ])('of any version never repeats a page: %s', async (path, searched, count) => {
    const { lemmy, clock, simulator } = await setUp(
      path,
      Array.from({ length: 120 }, (_, index) => wish(index)),
    )
    const ids = requestsOf(await pagesOf(lemmy, clock)).map(({ sourceId }) => sourceId)
    expect([ids.length, new Set(ids).size]).toEqual([count, count])
    expect(new Set(simulator.requests.slice(1).map((request) => request.path))).toEqual(new Set([searched]))
    expect(simulator.requests.length).toBeLessThan(12)
  })
})

describe('Reddit', () => {
  function createFor({ environment }: PlatformSimulator, clock: ReturnType<typeof movableClock>, prefix = '') {
    return createReddit({
      client: testClient(clock),
      clock,
      openBudget,
      baseUrl: `${environment.REDDIT_API_URL}${prefix}`,
      tokenUrl: environment.REDDIT_TOKEN_URL!,
      clientId: environment.REDDIT_CLIENT_ID,
      clientSecret: environment.REDDIT_CLIENT_SECRET,
    })
  }
  async function setUp(prefix = '') {
    const clock = movableClock()
    const simulator = await simulate({ clock, size: 250 })
    return { clock, simulator, reddit: createFor(simulator, clock, prefix) }
  }

  it('finds the same wishes where operators are text, and counts removed posts', async () => {
    const [obeyed, text] = [await setUp(), await setUp('/plain')]
    const pages = await pagesOf(obeyed.reddit, obeyed.clock)
    const plainPages = await pagesOf(text.reddit, text.clock)
    const idsOf = (list: Page[]) => [...new Set(requestsOf(list).map(({ sourceId }) => sourceId))].sort()
    expect(idsOf(plainPages).length).toBeGreaterThan(200)
    expect(idsOf(plainPages).filter((id) => !idsOf(pages).includes(id))).toEqual([])
    expect(pages.some(({ discarded }) => (discarded?.removed ?? 0) > 0)).toBe(true)
  })

  it('searches the communities that a job names; those that are not public cost the others nothing', async () => {
    const { reddit, clock, simulator } = await setUp()
    const named = requestsOf(await pagesOf(reddit, clock)).map(({ tags }) => tags.at(-1)!)
    const [community] = named
    const sources = ['r/membersonly', `r/${community!.toLowerCase()}`, 'r/quarantined', 'r/banned']
    simulator.requests.length = 0
    const requests = requestsOf(await pagesOf(reddit, clock, sources))
    expect(requests.map(({ ownSource }) => ownSource)).toEqual(
      named.filter((name) => name === community).map(() => sources[1]),
    )
    expect(simulator.requests.map(({ path }) => path)).toContain(`/${sources[1]}/search`)
  })

  it.each([
    ['r/larkspurnotes', true],
    ['r/membersonly', false],
    ['r/quarantined', false],
    ['r/banned', false],
    ['r/nosuchplace', false],
  ])('verifies whether %s is public: %s', async (source, isPublic) => {
    const { reddit } = await setUp()
    const verified = reddit.verifySource!(source, signal)
    if (isPublic) await verified
    else await expect(verified).rejects.toBeInstanceOf(SourceRefusedError)
  })

  it('reads known posts again: one that the answer does not have proves nothing', async () => {
    const { reddit, clock } = await setUp()
    const requests = requestsOf(await pagesOf(reddit, clock))
    const handles = [...requests.slice(0, 99).map(({ refreshHandle }) => refreshHandle!), 't3_unknown']
    const read = await reddit.refresh!.read(handles, signal)
    expect(read.map(({ handle }) => handle)).toEqual(handles)
    expect(read.map(({ state }) => state)).toEqual([...Array(99).fill('found'), 'unreadable'])
  })
})
