import { afterAll, beforeAll, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { Platform } from '../platforms/platform.ts'

// Holds (Search, lists and export): lists, searches, exports and wishes filter by product and follow renamed sources

const platforms = new Map<PlatformName, Platform>()
let service: TestService

/** Collects one request of each source, by its name. */
async function collect(sources: Record<string, string | null>): Promise<void> {
  const requests = Object.entries(sources).map(([id, sourceName]) =>
    foundRequest(id, { title: `Zebra stripes ${id}`, description: '', sourceName }),
  )
  platforms.set(
    'github',
    scriptedPlatform('github', () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic: 'zebra', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId, 30_000)
}

const titlesOf = ({ body }: { body: { data: { results: { title: string }[] } } }) =>
  body.data.results.map(({ title }) => title.slice(-1)).toSorted()

async function readEverywhere(product: string) {
  const { client } = service
  const query = `product=${encodeURIComponent(product)}`
  const exported = await client.get(`/api/v1/requests/export?format=csv&${query}`)
  return [
    titlesOf(await client.get(`/api/v1/requests?${query}`)),
    titlesOf(await client.get(`/api/v1/requests?topic=zebra&sortBy=votes&${query}`)),
    titlesOf(await client.search('zebra', { filters: { products: [product] } })),
    titlesOf(await client.get(`/api/v1/wishes?${query}`)),
    exported.text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => /Zebra stripes (.)/.exec(line)![1]!)
      .toSorted(),
  ]
}

beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterAll(() => service.stop())

it('filters lists, searches, exports and wishes, and is counted as a facet; a renamed source is another one', async () => {
  await collect({ a: 'Acme/App', b: 'acme/app', c: 'other/app', d: null })
  expect(await readEverywhere('ACME/app')).toEqual(Array(5).fill(['a', 'b']))
  const { body } = await service.client.search('zebra', { facets: ['product'] })
  expect(body.meta.facets.product).toEqual([
    { value: 'acme/app', count: 2 },
    { value: 'other/app', count: 1 },
  ])
  expect(body.data.results.map(({ product }: { product: string | null }) => product).toSorted()).toEqual([
    'acme/app',
    'acme/app',
    null,
    'other/app',
  ])
  await collect({ a: 'Acme/App', b: 'acme/moved' })
  expect(await readEverywhere('acme/app')).toEqual(Array(5).fill(['a']))
  expect(await readEverywhere('acme/moved')).toEqual(Array(5).fill(['b']))
})
