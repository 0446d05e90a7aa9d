import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { campaignSize } from '../../../../test/campaign-size.ts'
import { type ChildService, startChildService } from '../../../../test/child-service.ts'
import { createTestClient } from '../../../../test/client.ts'
import { copyDatabase, type DatabaseCopy } from '../../../../test/database.ts'
import { generateApiKey } from '../../../accounts/api-key.ts'
import { type OpenDatabase, openDatabase } from '../../../database/open.ts'
import { openSearchIndex, type SearchIndex } from '../search-index.ts'
import { type Row, store, syntheticRow } from '../testing.ts'

// Two processes with an index each, one of which is killed with SIGKILL again and again, while it builds and while it follows.

const kills = campaignSize('LOCAL_INDEX_KILLS', { quick: 2, nightly: 12 })
const apiKey = generateApiKey()

let copy: DatabaseCopy
let opened: OpenDatabase
let base: SearchIndex
let scratch: string
const services = new Set<ChildService>()

async function startIn(dataDir: string): Promise<ChildService> {
  const service = await startChildService({
    DATABASE_URL: copy.options.databaseUrl,
    DATA_DIR: dataDir,
    SEARCH_ENGINE: 'local',
    ADMIN_API_KEY: 'admin-key-of-the-kills',
    BOOTSTRAP_API_KEY: apiKey,
    BOOTSTRAP_TIER: 'max',
    ROLE: 'api',
    LOG_LEVEL: 'error',
  })
  services.add(service)
  return service
}
async function kill(service: ChildService): Promise<void> {
  services.delete(service)
  await service.end('SIGKILL')
}
const clientOf = (service: ChildService) => createTestClient(() => service.url, apiKey)
const statusOf = async (service: ChildService) => (await clientOf(service).get('/readyz')).body
const isReady = (service: ChildService) =>
  expect
    .poll(async () => (await statusOf(service)).searchIndex?.state, { timeout: 240_000, interval: 100 })
    .toBe('ready')

/** Nothing is lost and nothing doubled, once the index has the last changes: a search may be a moment behind. */
const expectExact = (service: ChildService): Promise<void> =>
  vi.waitFor(() => compare(service), { timeout: 30_000, interval: 500 })

async function compare(service: ChildService): Promise<void> {
  expect((await statusOf(service)).search).toBe('local')
  for (const query of ['everywhere', 'minority', 'written', 'needle']) {
    const { body } = await clientOf(service).post('/api/v1/requests/search', { query, sortBy: 'votes', limit: 100 })
    expect(body.meta.searchIndex).toBeUndefined()
    const { total } = await base.totals(opened.database, { query })
    const { results } = await base.search(opened.database, { query, sortBy: 'votes', offset: 0, limit: 100 })
    const ids = body.data.results.map(({ _id }: { _id: string }) => _id)
    expect([body.meta.total, ids]).toEqual([total, results.map(({ _id }) => _id)])
  }
}

/** Stores, changes and deletes requests until it is ended, at a pace that an index follows on a busy machine, too. */
function write(service: ChildService) {
  let isWriting = true
  const writing = (async () => {
    for (let page = 0; isWriting; page++) {
      // Within the rate limit of the account, which the searches of the test need, too.
      if (page % 20 === 0) await clientOf(service).post('/api/v1/requests/search', { query: 'written' })
      const rows: Row[] = Array.from({ length: 10 }, (_, number) => ({
        text: `written everywhere ${page}`,
        platform: 'github',
        topic: `topic${number}`,
      }))
      const ids = await store(opened.database, rows)
      await sql`delete from requests where id = ${ids[0]}`.execute(opened.database)
      await sql`update request_texts set text = 'written minority' where request_id = ${ids[1]}`.execute(
        opened.database,
      )
      await sleep(100)
    }
  })()
  return async () => {
    isWriting = false
    await writing
  }
}

describe('a process with a search index', { timeout: 900_000 }, () => {
  beforeAll(async () => {
    copy = await copyDatabase()
    opened = await openDatabase({
      ...copy.options,
      onCrash: (error) => {
        throw error
      },
    })
    base = await openSearchIndex(opened.database)
    scratch = mkdtempSync(join(tmpdir(), 'wishwell-kill-'))
    await store(
      opened.database,
      Array.from({ length: 3_000 }, (_, number) => syntheticRow(number)),
    )
  })
  afterAll(async () => {
    for (const service of services) await service.end('SIGTERM')
    await opened.close()
    await copy.remove()
    rmSync(scratch, { recursive: true, force: true })
  }, 120_000)

  it('loses and doubles nothing when it is killed while it builds and while it follows', async () => {
    const other = await startIn(join(scratch, 'other'))
    const end = write(other)
    let service = await startIn(join(scratch, 'killed'))
    let copied = 0
    for (let number = 0; number < kills; number++) {
      // Each time somewhat later in the build.
      await expect
        .poll(
          async () => {
            const { searchIndex } = await statusOf(service)
            return searchIndex.state === 'ready' || searchIndex.requests > copied
          },
          { timeout: 240_000, interval: 20 },
        )
        .toBe(true)
      copied = (await statusOf(service)).searchIndex.requests
      await kill(service)
      service = await startIn(join(scratch, 'killed'))
    }
    await isReady(service)
    for (let number = 0; number < kills; number++) {
      const { body } = await clientOf(service).post('/api/v1/requests/search', { query: 'written' })
      expect(body).toMatchObject({ data: { results: expect.arrayContaining([expect.anything()]) } })
      await kill(service)
      service = await startIn(join(scratch, 'killed'))
      await isReady(service)
    }
    await end()
    await expectExact(service)
    await isReady(other)
    await expectExact(other)
  })
})
