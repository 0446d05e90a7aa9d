import { expect, it } from 'vitest'
import { createGitlab } from '../../src/platforms/adapters/gitlab/search.ts'
import { fetchPageOrNull, openTestBudget as openBudget, testClient } from '../../src/platforms/adapters/testing.ts'
import type { FoundRequest, Json } from '../../src/platforms/platform.ts'
import { PlatformError } from '../../src/platforms/platform.ts'
import type { ExpectedRecord } from './expectation.ts'
import type { SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

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
