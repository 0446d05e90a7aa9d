import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCommand } from '../../src/cli/command-testing.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { createCluster } from '../../src/search/opensearch/cluster.ts'
import { readIndexes } from '../../src/search/opensearch/indexes.ts'
import { foundRequest, platformMap, scriptedPlatform } from '../scripted-platform.ts'
import { startTestService, type TestService } from '../service.ts'
import { changeRequests } from '../stored-requests.ts'
import { type OpenSearchCluster, startOpenSearch } from './cluster.ts'
import { indexedVotes, startWriter, storedVotes } from './testing.ts'

// Holds (Search, lists and export): an unreachable search cluster fails only searches, and a node may be killed

// A service whose search cluster fails: a cluster of these tests alone.

let cluster: OpenSearchCluster
let service: TestService
let found = 0

beforeAll(async () => {
  cluster = await startOpenSearch()
  const script = () => ({
    requests: [foundRequest(`${found}`, { title: `Penguin number${found++}` })],
    nextCursor: null,
  })
  service = await startTestService({
    platforms: platformMap(scriptedPlatform('github', script)),
    environment: { SEARCH_URL: cluster.url },
    // As a service does it.
    searchWaitsForChanges: false,
  })
})
afterAll(async () => {
  await service.stop()
  await cluster.stop()
})

const collect = async (): Promise<string> => {
  const { body } = await service.client.scrape({ topic: 'birds', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
  return `number${found - 1}`
}
const titles = async (query: string): Promise<unknown> => {
  const { status, body } = await service.client.search(query)
  return status === 200 ? body.data.results.map(({ title }: { title: string }) => title) : body.error.code
}
const expectFound = (word: string) => expect.poll(() => titles(word)).toEqual([`Penguin ${word}`])
const run = (...parameters: string[]) =>
  startCommand(['admin', 'search-index', ...parameters], {
    WISHWELL_URL: service.url,
    ADMIN_API_KEY: service.adminKey,
    DATA_DIR: '/nonexistent',
  }).finished

/** The search engine in the operator's overview. */
const seen = async () =>
  (await service.clientFor(service.adminKey).get('/api/admin/overview')).body.data.search as {
    isReady: boolean
    unreadChanges: number
  }

/** Equal to the database, when all changes have arrived. */
async function expectEqual() {
  const direct = await createCluster(cluster.url.split(','))
  const name = (await readIndexes(service.database)).find(({ state }) => state === 'serving')!.name
  await expect.poll(() => indexedVotes(direct, name)).toEqual(await storedVotes(service.database))
  await direct.close()
}

describe('a service with a search cluster', () => {
  it('finds what was just collected, and shows its index to the operator', async () => {
    await expectFound(await collect())
    const { body } = await service.client.get('/readyz')
    expect(body.search).toBe('opensearch')
    expect(await seen()).toMatchObject({ engine: 'opensearch', isReady: true })
    const status = await run('status')
    expect(status).toMatchObject({ exitCode: exitCodes.ok })
    expect(status.stdout).toMatch(
      /^The search cluster answers\.\nwishwell-\S+; serving; 1 requests; \d+ MB; up to date\n$/,
    )
    const rebuilt = await run('rebuild', '--wait')
    expect(rebuilt).toMatchObject({ exitCode: exitCodes.ok })
    expect(rebuilt.stdout).toMatch(/retired.*\n.*serving/)
    await expectFound('number0')
  })

  it('goes on without its second node, and loses nothing when it is killed under load', async () => {
    await cluster.waitForNodes(2)
    const writer = startWriter(service.database)
    const word = await collect()
    await cluster.kill(1)
    await expectFound(await collect())
    await expectFound(word)
    await cluster.start(1)
    await cluster.waitForNodes(2)
    await writer.stop()
    await expectFound(await collect())
    await expectEqual()
  })

  it('answers only searches with SEARCH_UNAVAILABLE while the cluster is away, and catches up afterwards', async () => {
    const before = await collect()
    await expectFound(before)
    await Promise.all([cluster.kill(0), cluster.kill(1)])
    const search = await service.client.search('penguin')
    expect([search.status, search.body.error.code]).toEqual([503, 'SEARCH_UNAVAILABLE'])
    expect((await service.client.get('/readyz')).status).toBe(200)
    const word = await collect()
    const { body } = await service.client.get('/api/v1/requests?limit=1')
    expect(body.data.results).toHaveLength(1)
    await changeRequests(service.database, sql`delete from requests where title = ${`Penguin ${before}`}`)
    const { isReady, unreadChanges } = await seen()
    expect([isReady, unreadChanges > 0]).toEqual([false, true])
    const status = await run('status')
    expect(status.exitCode).toBe(exitCodes.failed)
    expect(status.stdout).toMatch(/cannot be reached: searches fail/)
    await cluster.start(0)
    await cluster.start(1)
    await expectFound(word)
    await expect.poll(() => titles(before)).toEqual([])
    await expectEqual()
  })

  it('answers so within seconds, too, while the cluster stands still', async () => {
    for (const node of [0, 1] as const) cluster.signal(node, 'SIGSTOP')
    const search = await service.client.search('penguin')
    expect([search.status, search.body.error.code]).toEqual([503, 'SEARCH_UNAVAILABLE'])
    expect(await seen()).toMatchObject({ isReady: false })
    const word = await collect()
    for (const node of [0, 1] as const) cluster.signal(node, 'SIGCONT')
    await expectFound(word)
  })
})
