import { describe, expect, it } from 'vitest'
import type { BudgetLimits } from '../../budget/budget.ts'
import { PlannedWaitError, PlatformError, SourceRefusedError } from '../../platform.ts'
import { unreachedSources } from '../round-robin.ts'
import {
  fetchPageOrNull,
  type Handler,
  openTestBudget,
  platformError,
  privateTargets,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { readForum } from './forum.ts'
import { createForumHosts } from './forum-hosts.ts'
import { createDiscourse } from './search.ts'
import { discourseSources } from './source.ts'

// Holds (Jobs): at most 20 sources that accounts name are verified at a time, with bodies of at most 2 MB
// Holds (Platforms): forums tell what became of a wish and omit what is removed or private
// Holds (Platforms): a forum named by an account is public and shares one set of limits across jobs
// Holds (Platforms): accounts reach only what the operator lists of a private forum

it.each([
  ['https://forum.example/c/ideas/5', 'https://forum.example/c/ideas/5'],
  [' HTTPS://Forum.Example/c/ideas/5/?order=votes#x ', 'https://forum.example/c/ideas/5'],
  ['forum.example/c/product/ideas/5/l/votes', 'https://forum.example/c/product/ideas/5'],
  ['https://forum.example/c/5', 'https://forum.example/c/-/5'],
  ['https://forum.example/c/ideas', 'https://forum.example/c/ideas'],
  ['https://forum.example/tag/feature-request/12', 'https://forum.example/tag/feature-request'],
  ['https://forum.example/latest', 'https://forum.example'],
  ['https://forum.example./c/ideas/5', 'https://forum.example/c/ideas/5'],
  ['https://example.org:8443/forum/', 'https://example.org:8443/forum'],
  ['https://forum.example/t/dark-mode/12', null],
  ['https://forum.example/u/zoe', null],
  ['https://forum.example/c/in:all', null],
  ['https://user:pass@forum.example/c/ideas/5', null],
  ['ftp://forum.example/c/ideas/5', null],
  ['ideas', null],
  ['', null],
  [`https://forum.example/c/${'a'.repeat(300)}`, null],
])('the source %j is %j', (text, normal) => {
  expect(discourseSources.normalise(text)).toBe(normal)
  if (normal !== null) expect(discourseSources.normalise(normal)).toBe(normal)
})

async function setUp(handler: Handler, path = '/c/ideas/5') {
  const { baseUrl, received } = await startServer(handler)
  const clock = testClock()
  const opened: BudgetLimits[] = []
  const openBudget = (limits: BudgetLimits) => {
    opened.push(limits)
    return openTestBudget(limits)
  }
  const urls = ['https://forum.example']
  const discourse = createDiscourse({ client: testClient(clock, privateTargets), clock, openBudget, urls })
  return { discourse, received, opened, source: `${baseUrl}${path}`, clock }
}

const found = { posts: [{ topic_id: 1, blurb: 'x' }], topics: [{ id: 1, title: 'Tabs' }], grouped_search_result: {} }

describe('a job with forums of its own', () => {
  it('searches them instead of those of the operator, and says where each request is from', async () => {
    const { discourse, received, source, opened } = await setUp((response) => sendJson(response, found))
    const page = await fetchPageOrNull(discourse, { sources: [source] })
    expect(page!.requests).toMatchObject([{ title: 'Tabs', ownSource: source }])
    expect(received.map(({ path }) => path)).toEqual(['/search.json'])
    expect(opened.filter(({ isUnlisted }) => isUnlisted !== true).map(({ name }) => name)).toEqual(['forum.example'])
  })

  it('begins where the last job of the same forums stopped', async () => {
    const { discourse, received, source } = await setUp((response) => sendJson(response, found))
    const sources = [source, source.replace('ideas/5', 'bugs/6')]
    const page = await fetchPageOrNull(discourse, { sources, pagesBefore: 3 })
    expect(received.map(({ query }) => query.q)).toEqual(['dark mode category:6 in:first'])
    expect(page!.requests).toMatchObject([{ ownSource: sources[1] }])
    expect(unreachedSources(sources, page!.nextCursor)).toEqual([sources[0]])
  })

  it('shares the limits of a forum with all other jobs', async () => {
    const { discourse, source, opened } = await setUp((response) => sendJson(response, found))
    await fetchPageOrNull(discourse, { sources: [source] })
    await fetchPageOrNull(discourse, { sources: [source.replace('ideas/5', 'bugs/6')] })
    await platformError(fetchPageOrNull(discourse, { sources: [source] }), 'rate_limited')
    expect(new Set(opened.map(({ name }) => name)).size).toBe(opened.length)
  })
})

describe('a private forum that the operator lists', () => {
  it('is open to accounts only as far as it is listed', async () => {
    const { baseUrl, received } = await startServer((response) => sendJson(response, found))
    const clock = testClock()
    const listed = `${baseUrl}/c/ideas/5`
    const discourse = createDiscourse({ client: testClient(clock), clock, openBudget: openTestBudget, urls: [listed] })
    expect(await fetchPageOrNull(discourse, { sources: [listed] })).toMatchObject({ requests: [{ title: 'Tabs' }] })
    const sent = received.length
    const { signal } = new AbortController()
    for (const other of [`${baseUrl}/c/staff/6`, baseUrl]) {
      clock.advance(60_000)
      await expect(discourse.verifySource!(other, signal)).rejects.toBeInstanceOf(SourceRefusedError)
      await platformError(fetchPageOrNull(discourse, { sources: [other] }), 'bad_response')
    }
    expect(received).toHaveLength(sent)
  })
})

describe('the budgets of forums that accounts name', () => {
  const forum = (name: string) => readForum(`https://${name}.example`)
  const hostsFor = (maxForeign: number) => {
    const clock = testClock()
    return { clock, hosts: createForumHosts({ clock, openBudget: openTestBudget, forums: [forum('own')], maxForeign }) }
  }

  it('are forgotten least recently used first, a minute after the last request', () => {
    const { clock, hosts } = hostsFor(2)
    const [first, second] = [hosts.of(forum('a')), hosts.of(forum('b'))]
    expect(() => hosts.of(forum('c'))).toThrow(PlannedWaitError)
    clock.advance(30_000)
    expect(hosts.of(forum('a')).searches).toBe(first.searches)
    clock.advance(30_001)
    hosts.of(forum('c'))
    expect(hosts.of(forum('a')).searches).toBe(first.searches)
    clock.advance(60_001)
    expect(hosts.of(forum('b')).searches).not.toBe(second.searches)
  })

  it('are not forgotten during a cooldown', () => {
    const { clock, hosts } = hostsFor(1)
    hosts.of(forum('a')).searches.pauseUntil(new Date(clock.now().getTime() + 600_000))
    clock.advance(60_001)
    expect(() => hosts.of(forum('b'))).toThrow(PlannedWaitError)
    clock.advance(600_000)
    expect(hosts.of(forum('b')).isForeign).toBe(true)
  })

  it('are those of the operator where it lists the forum', () => {
    const { hosts } = hostsFor(1)
    expect(hosts.of(forum('own')).isForeign).toBe(false)
    expect(hosts.of(readForum('https://own.example/c/ideas/5')).searches).toBe(hosts.of(forum('own')).searches)
  })
})

describe('a source of Discourse', () => {
  const open = { id: 5, slug: 'ideas', read_restricted: false }
  const site = { categories: [{ id: 1, slug: 'product' }, open, { id: 7, slug: 'staff', read_restricted: true }] }
  const child = {
    categories: [
      { id: 1, slug: 'product' },
      { ...open, parent_category_id: 1 },
    ],
  }

  it.each<[string, string, unknown, boolean]>([
    ['/c/ideas/5', '/c/5/show.json', { category: open }, true],
    ['/c/staff/7', '/c/7/show.json', { category: { ...open, read_restricted: true } }, false],
    ['/c/staff/7', '/c/7/show.json', { category: { id: 7 } }, false],
    ['/c/ideas', '/site.json', site, true],
    ['/c/product/ideas', '/site.json', child, true],
    ['/c/other/ideas', '/site.json', child, false],
    ['/c/staff', '/site.json', site, false],
    ['/c/nosuch', '/site.json', site, false],
    ['/tag/ui', '/tag/ui.json', { topic_list: { topics: [] } }, true],
    ['/tag/ui', '/tag/ui.json', {}, false],
    ['', '/site.json', site, true],
    ['', '/site.json', {}, false],
  ])('at %s is verified by %s', async (path, asked, body, isPublic) => {
    const { discourse, source, received } = await setUp((response) => sendJson(response, body), path)
    const verified = discourse.verifySource!(source, new AbortController().signal)
    if (isPublic) await verified
    else await expect(verified).rejects.toBeInstanceOf(SourceRefusedError)
    expect(received.map((one) => one.path)).toEqual([asked])
  })

  it.each([
    [403, { errors: ['no'], error_type: 'not_logged_in' }],
    [403, { errors: ['no'], error_type: 'invalid_access' }],
    [404, { errors: ['no'], error_type: 'not_found' }],
    [410, {}],
  ])('that answers %i %j is refused', async (status, body) => {
    const { discourse, source } = await setUp((response) => sendJson(response, body, status))
    const error = await discourse.verifySource!(source, new AbortController().signal).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SourceRefusedError)
    expect((error as Error).message).not.toContain('DISCOURSE_URLS')
  })

  it.each([
    [403, { errors: ['no'], error_type: 'not_logged_in' }],
    [404, { errors: ['no'], error_type: 'not_found' }],
    [200, {}],
  ])('that the operator lists and that answers %i %j is refused with what the caller can do', async (status, body) => {
    const { baseUrl } = await startServer((response) => sendJson(response, body, status))
    const clock = testClock()
    const client = testClient(clock, privateTargets)
    const discourse = createDiscourse({ client, clock, openBudget: openTestBudget, urls: [baseUrl] })
    const refused = [
      discourse.verifySource!(baseUrl, new AbortController().signal),
      fetchPageOrNull(discourse, { sources: [baseUrl] }),
    ]
    for (const { reason } of (await Promise.allSettled(refused)) as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(PlatformError)
      expect(reason.message).not.toContain('DISCOURSE_URLS')
      expect(reason.message).toMatch(/Name another source\.$|has no such public category or tag\.$/)
    }
    const ofOperator = await fetchPageOrNull(discourse).catch((reason: Error) => reason)
    expect((ofOperator as Error).message).toContain('Check DISCOURSE_URLS.')
  })

  it('of another host is read up to 2 MB while it is verified, and one that the operator lists up to the usual limit', async () => {
    const large = { categories: [{ id: 1, slug: 'x'.repeat(2 * 1024 * 1024) }] }
    const { discourse, source } = await setUp((response) => sendJson(response, large), '')
    const { signal } = new AbortController()
    await expect(discourse.verifySource!(source, signal)).rejects.toThrow('a body of more than 2097152 bytes')
    const { baseUrl } = await startServer((response) => sendJson(response, large))
    const clock = testClock()
    const client = testClient(clock)
    const listed = createDiscourse({ client, clock, openBudget: openTestBudget, urls: [baseUrl] })
    await listed.verifySource!(baseUrl, signal)
  })

  it.each([429, 503])('that answers %i cannot be verified now', async (status) => {
    const { discourse, source } = await setUp((response) => sendJson(response, {}, status))
    const error = await discourse.verifySource!(source, new AbortController().signal).catch((reason: unknown) => reason)
    expect(error).not.toBeInstanceOf(SourceRefusedError)
    expect(error).toMatchObject({ retryAt: expect.any(Date) })
  })
})
