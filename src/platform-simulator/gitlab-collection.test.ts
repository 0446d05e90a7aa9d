import { describe, expect, it } from 'vitest'
import { createGitlab } from '../platforms/adapters/gitlab/search.ts'
import { fetchPageOrNull, openTestBudget as openBudget, testClient } from '../platforms/adapters/testing.ts'
import type { FoundRequest, Json } from '../platforms/platform.ts'
import { PlatformError, SourceRefusedError } from '../platforms/platform.ts'
import type { Behaviours } from './behaviour.ts'
import type { ExpectedRecord } from './expectation.ts'
import type { SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'
import { collectPages, trackers } from './trackers-testing.ts'

const projects = ['quillbox/desk:type::feature', 'halfmoon/editor:enhancement', 'granary/granary']

/** Pages to the end; a wait that the adapter announces is kept by moving the clock. */
async function collect(
  options: SimulatorOptions,
  { token, sources = projects }: { token?: string; sources?: string[] },
) {
  const clock = movableClock()
  const simulator = await simulate({ limits: 'real', clock, ...options })
  const baseUrl = simulator.environment.GITLAB_API_URL!
  const gitlab = createGitlab({ client: testClient(clock), clock, openBudget, baseUrl, token, projects: sources })
  const requests: FoundRequest[] = []
  let pages = 0
  let waitMs = 0
  let cursor: Json = null
  do {
    try {
      const page = await fetchPageOrNull(gitlab, { cursor })
      requests.push(...(page?.requests ?? []))
      cursor = page?.nextCursor ?? null
      pages += 1
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryAt === null) throw error
      const cooldownMs = error.retryAt.getTime() - clock.now().getTime()
      waitMs += cooldownMs
      clock.forward(cooldownMs)
    }
  } while (cursor !== null || pages === 0)
  const searches = sources.map((source) => ({ search: 'dark mode', project: source.split(':')[0]! }))
  const expected = searches.flatMap((search) => simulator.expectedRecords('gitlab', 'dark mode', search))
  return { requests, expected, simulator, pages, waitMs }
}

function expectSame(requests: FoundRequest[], expected: ExpectedRecord[]): void {
  const sort = (pairs: string[][]) => pairs.map((pair) => pair.join(' ')).sort()
  expect(sort(requests.map(({ sourceId, sourceUrl }) => [sourceId, sourceUrl]))).toEqual(
    sort(expected.map(({ sourceId, sourceUrl }) => [sourceId, sourceUrl])),
  )
}

it.each([
  ['without a token', undefined, 61_000 * 2],
  ['with a token', 'good', 0],
])('all projects of GitLab are collected to the end within its limits, %s', async (_, token, waitMs) => {
  const run = await collect({ size: 750, validTokens: ['good'] }, token ? { token } : {})
  expectSame(run.requests, run.expected)
  expect(run.expected).toHaveLength(2_250)
  expect([run.pages, run.waitMs, run.simulator.breaches]).toEqual([24, waitMs, 0])
  expect(run.simulator.requests.every(({ status }) => status === 200)).toBe(true)
})

it('a project of GitLab that does not exist costs the others nothing', async () => {
  const run = await collect({}, { sources: [...projects.slice(0, 2), 'nosuch/project:feature'] })
  expectSame(
    run.requests,
    run.expected.filter(({ sourceUrl }) => !sourceUrl.includes('nosuch')),
  )
  expect(run.requests).toHaveLength(500)
  expect(run.simulator.breaches).toBe(0)
})

it('a refusal of GitLab that names no time is waited out', async () => {
  const clock = movableClock()
  const simulator = await simulate({ clock })
  simulator.setFault('gitlab', 'silent_rate_limit')
  const baseUrl = simulator.urls.gitlab
  const gitlab = createGitlab({ client: testClient(clock), clock, openBudget, baseUrl, projects })
  await expect(fetchPageOrNull(gitlab)).rejects.toMatchObject({ code: 'rate_limited' })
  await expect(fetchPageOrNull(gitlab)).rejects.toMatchObject({ code: 'rate_limited' })
  clock.forward(60_000)
  expect((await fetchPageOrNull(gitlab))?.requests).toHaveLength(100)
  expect([simulator.requests.length, simulator.breaches]).toEqual([2, 0])
})

describe('an anonymous search of GitLab that', () => {
  const records = [
    { title: 'Dark mode' },
    { title: 'A theme for the night', body: 'In dark colours, as a mode.' },
    ...Array.from({ length: 130 }, (_, index) => ({ title: `Tabs ${index}` })),
  ]
  const run = async (anonymousSearch: Behaviours['gitlab']['anonymousSearch'], token?: string) => {
    const made = await trackers({
      records: { gitlab: records },
      behaviours: { gitlab: { anonymousSearch } },
      ...(token ? { token } : {}),
    })
    return { ...made, ...(await collectPages(made.gitlab)) }
  }

  it.each(['allowed', 'refused', 'unauthorized', 'forbidden', 'ignored'] as const)(
    'is %s gives the same issues',
    async (behaviour) => {
      const { requests } = await run(behaviour)
      expect(requests.map(({ title }) => title).sort()).toEqual(['A theme for the night', 'Dark mode'])
    },
  )

  it('is refused is not repeated for an hour, and costs one request more', async () => {
    const { simulator, gitlab, pages, clock } = await run('refused')
    expect(simulator.requests.map(({ status }) => status)).toEqual([422, 200, 200])
    expect(pages.map(({ discarded }) => discarded)).toEqual([{ offTopic: 100 }, { offTopic: 30 }])
    await fetchPageOrNull(gitlab)
    clock.forward(3_600_000)
    await fetchPageOrNull(gitlab)
    expect(simulator.requests.slice(3).map(({ status }) => status)).toEqual([200, 422, 200])
  })

  it('is ignored gives issues that are not about the topic only as such', async () => {
    const made = await trackers({
      records: { gitlab: records.slice(2) },
      behaviours: { gitlab: { anonymousSearch: 'ignored' } },
    })
    const { pages, requests } = await collectPages(made.gitlab)
    expect(requests).toEqual([])
    expect(pages.map(({ offTopic }) => offTopic?.length)).toEqual([100, 30])
  })

  it('is refused says nothing of a search with a token', async () => {
    const { simulator, requests } = await run('refused', 'good')
    expect(requests).toHaveLength(2)
    expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('projects and groups of GitLab that an account names', () => {
  const { signal } = new AbortController()

  it('are searched instead of the configured ones, groups without the token', async () => {
    const { gitlab, simulator } = await trackers({ token: 'good', size: 20 })
    const sources = ['acme/app:feature', 'groups/acme']
    const { requests } = await collectPages(gitlab, { sources })
    expect(new Set(requests.map(({ ownSource }) => ownSource))).toEqual(new Set(sources))
    const lists = simulator.requests.filter(({ path }) => path.endsWith('/issues'))
    expect(lists.map(({ path, query, headers }) => [path, query.labels, headers['private-token']])).toEqual([
      ['/projects/acme%2Fapp/issues', 'feature', 'good'],
      ['/groups/acme/issues', undefined, undefined],
    ])
  })

  it.each([undefined, 'good'])('must exist and be public, with token %s', async (token) => {
    const { gitlab } = await trackers(token === undefined ? {} : { token })
    await gitlab.verifySource!('acme/app', signal)
    await gitlab.verifySource!('groups/acme', signal)
    for (const source of ['nosuch/app', 'private/app', 'groups/nosuch']) {
      const error = await gitlab.verifySource!(source, signal).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(SourceRefusedError)
      expect((error as Error).message).toContain('the sources of the job')
    }
  })
})

it('sites of Stack Exchange that an account names are searched instead of the configured ones, and must exist', async () => {
  const { stackexchange } = await trackers({ size: 20 })
  const { signal } = new AbortController()
  const { requests } = await collectPages(stackexchange, { sources: ['softwarerecs', 'ux.meta'] })
  expect(new Set(requests.map(({ ownSource }) => ownSource))).toEqual(new Set(['softwarerecs', 'ux.meta']))
  await stackexchange.verifySource!('softwarerecs', signal)
  await expect(stackexchange.verifySource!('nosuchsite', signal)).rejects.toThrow(SourceRefusedError)
})
