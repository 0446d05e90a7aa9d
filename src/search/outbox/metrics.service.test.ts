import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCluster } from '../../../test/search.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { scrape } from '../../operations/metrics/testing.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

/** The series about the log of changes. */
const readOutbox = async () => (await scrape(service)).filter(({ name }) => name.startsWith('wishwell_search_outbox'))

it('the metrics have the backlog of a search index outside of the database, and none where the database searches', async () => {
  const expected = ['wishwell_search_outbox_age_seconds', 'wishwell_search_outbox_changes'].map((name) => ({
    name,
    labels: { index: 'opensearch' },
    value: 0,
  }))
  // An index in a cluster is made for the first search of a test.
  expect((await service.client.search('anything')).status).toBe(200)
  if (!isCluster) return expect(await readOutbox()).toEqual([])
  await expect
    .poll(async () => (await readOutbox()).toSorted((one, other) => (one.name < other.name ? -1 : 1)))
    .toEqual(expected)
})
