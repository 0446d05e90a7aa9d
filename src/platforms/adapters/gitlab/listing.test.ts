import { describe, expect, it } from 'vitest'
import type { Json, Page, Platform } from '../../platform.ts'
import {
  fetchPage,
  openTestBudget as openBudget,
  type Received,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createGitlab } from './search.ts'

// Holds (Jobs): a search that GitLab ignored adds nothing to a topic

/** How a server answers a search without a token: truly, by a refusal, or with all issues. */
type AnonymousSearch = 'allowed' | 'ignored' | [status: number, message: string]

const issueOf = ([title, description]: readonly string[], index: number) => ({
  id: index + 1,
  title,
  description,
  web_url: `https://gitlab.com/a/b/-/issues/${index + 1}`,
})
const wishes = [
  ['Dark mode', ''],
  ['A theme for the night', 'In DARK colours, as a mode.'],
]
const others = Array.from({ length: 130 }, (_, index) => [`Tabs ${index}`, ''])

async function setUp(behaviour: AnonymousSearch, texts: string[][], token?: string) {
  const all = texts.map(issueOf)
  const { baseUrl, received } = await startServer((response, { path, query, headers }: Received) => {
    if (!path.endsWith('/issues')) return sendJson(response, { visibility: 'public' })
    const isAnonymousSearch = query.search !== undefined && headers['private-token'] === undefined
    if (isAnonymousSearch && Array.isArray(behaviour)) {
      return sendJson(response, { message: behaviour[1] }, behaviour[0])
    }
    const isSearched = query.search !== undefined && !(isAnonymousSearch && behaviour === 'ignored')
    const found = isSearched ? all.filter(({ title }) => !title!.startsWith('Tabs')) : all
    const start = (Number(query.page) - 1) * 100
    const next = start + 100 < found.length ? String(Number(query.page) + 1) : ''
    sendJson(response, found.slice(start, start + 100), 200, { 'x-next-page': next })
  })
  const clock = testClock()
  const gitlab = createGitlab({ client: testClient(clock), clock, openBudget, baseUrl, token, projects: ['a/b'] })
  const searches = () =>
    received.filter(({ path }) => path.endsWith('/issues')).map(({ query }) => query.search !== undefined)
  return { gitlab, clock, searches }
}

async function allPages(gitlab: Platform): Promise<Page[]> {
  const pages: Page[] = []
  let cursor: Json = null
  do {
    pages.push(await fetchPage(gitlab, 'dark mode', cursor))
    cursor = pages.at(-1)!.nextCursor
  } while (cursor !== null)
  return pages
}

const refused: AnonymousSearch = [422, 'User must be authenticated to use search']

describe('an anonymous search of GitLab', () => {
  it.each<[AnonymousSearch]>([
    ['allowed'],
    ['ignored'],
    [refused],
    [[401, '401 Unauthorized']],
    [[403, '403 Forbidden']],
  ])('gives the same issues where it is %j', async (behaviour) => {
    const { gitlab } = await setUp(behaviour, [...others, ...wishes])
    const titles = (await allPages(gitlab)).flatMap(({ requests }) => requests.map(({ title }) => title))
    expect(titles).toEqual(['Dark mode', 'A theme for the night'])
  })

  it('that is refused is not repeated for an hour, and costs one request more', async () => {
    const { gitlab, clock, searches } = await setUp(refused, [...others, ...wishes])
    const pages = await allPages(gitlab)
    expect(searches()).toEqual([true, false, false])
    expect(pages.map(({ discarded }) => discarded)).toEqual([{ offTopic: 100 }, { offTopic: 30 }])
    clock.advance(3_599_000)
    await fetchPage(gitlab)
    clock.advance(1_000)
    await fetchPage(gitlab)
    expect(searches().slice(3)).toEqual([false, true, false])
  })

  it('that is ignored brings nothing into the topic', async () => {
    const { gitlab, searches } = await setUp('ignored', others)
    const pages = await allPages(gitlab)
    expect(pages.flatMap(({ requests }) => requests)).toEqual([])
    expect(pages.map(({ offTopic, discarded }) => [offTopic?.length, discarded?.offTopic])).toEqual([
      [100, 100],
      [30, 30],
    ])
    expect(searches()).toEqual([true, false])
  })

  it('that is refused says nothing of a search with a token', async () => {
    const { gitlab, searches } = await setUp(refused, [...others, ...wishes], 't1')
    const [page] = await allPages(gitlab)
    expect([page!.requests.length, searches()]).toEqual([2, [true]])
  })
})
