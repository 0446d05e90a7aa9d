import { afterAll, beforeAll, expect, test } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Platform } from '../../platforms/platform.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { sharedView } from '../../requests/view.ts'
import { countRequests } from './counts.ts'

let service: TestService
beforeAll(async () => {
  const requests = Array.from({ length: 60 }, (_, index) =>
    foundRequest(String(index), {
      votes: index * 2,
      tags: index % 3 === 0 ? ['ui', 'editor'] : ['api'],
      status: index % 4 === 0 ? 'planned' : 'open',
      sourceName: index % 2 === 0 ? 'acme/app' : 'acme/site',
      originalCreatedAt: new Date(Date.UTC(2024 + (index % 3), 3, 1)),
    }),
  )
  const github = scriptedPlatform('github', () => ({ requests, nextCursor: null }))
  service = await startTestService({ platforms: new Map<PlatformName, Platform>([['github', github]]) })
  const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId, 60_000)
  // In the view of the account it is none.
  const [first] = (await get('?limit=1')).results as RequestRecord[]
  await service.client.post('/api/v1/corrections/requests', { requestId: first!._id, isRequest: false })
})
afterAll(() => service.stop())

const get = async (query: string) => (await service.client.get(`/api/v1/requests${query}`)).body.data

test.each(['', 'minVotes=30', 'status=planned&tag=ui', 'topic=Dark%20Mode&since=2025-01-01&until=2026-01-01'])(
  'counts what the list has with the filters "%s", by every facet',
  async (filters) => {
    const names = ['platform', 'product', 'status', 'tag', 'year', 'votes']
    const { results } = (await get(`?limit=100&${filters}`)) as { results: RequestRecord[] }
    const valuesOf: Record<string, (one: RequestRecord) => (string | null)[]> = {
      platform: (one) => [one.sourcePlatform],
      product: (one) => [one.product],
      status: (one) => [one.status],
      tag: (one) => one.tags,
      year: (one) => [one.originalCreatedAt!.slice(0, 4)],
      votes: (one) => ['1', '5', '10', '50', '100', '500'].filter((least) => one.votes >= Number(least)),
    }
    const counted = (name: string) =>
      Object.fromEntries(
        [...Map.groupBy(results.flatMap(valuesOf[name]!), (value) => value)].map(([value, { length }]) => [
          value,
          length,
        ]),
      )
    const answer = await get(`/facets?${filters}&${names.map((name) => `facets=${name}`).join('&')}`)
    expect(answer).toMatchObject({ total: results.length, totalIsExact: true, facetsAreExact: true })
    for (const name of names) {
      const values = answer.facets[name] as { value: string; count: number }[]
      expect(Object.fromEntries(values.map(({ value, count }) => [value, count]))).toEqual(counted(name))
    }
    expect(await get(`/facets?${filters}`)).toEqual({ total: results.length, totalIsExact: true })
  },
)

test('says so where it does not count all', async () => {
  expect(await countRequests(service.database, { view: sharedView }, { facets: ['platform'], counted: 40 })).toEqual({
    total: 40,
    totalIsExact: false,
    facets: { platform: [{ value: 'github', count: 41 }] },
    facetsAreExact: false,
  })
})
