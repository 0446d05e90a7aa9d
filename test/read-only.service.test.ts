import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from './service.ts'

// What a database that takes no writes, as on a full disk, still answers (src/database/embedded/free-space.ts).

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

it('every read is answered while the database takes no writes, and every write is refused', async () => {
  const { client, database } = service
  const document = (await client.get('/openapi.json')).body
  const reads = Object.entries<Record<string, { security?: Record<string, unknown>[] }>>(document.paths).filter(
    ([path, { get }]) => !path.includes('{') && get?.security?.some((way) => 'apiKey' in way) === true,
  )
  const setReadOnly = (value: 'on' | 'off') =>
    sql`set default_transaction_read_only = ${sql.lit(value)}`.execute(database)
  const watch = await client.post('/api/v1/watches', { topic: 'dark mode', schedule: 'daily', monthlyCredits: 100 })
  const feed = await client.post('/api/v1/feeds', { kind: 'watch', watchId: watch.body.data.watchId })
  const feedPath = new URL(feed.body.data.url).pathname
  const share = await client.post('/api/v1/shares', { view: {} })
  const sharePath = new URL(share.body.data.url).pathname
  // What is noted beside a read is due: the last use of the key, the look at the watch, the reads of the feed and the share.
  await sql`update api_keys set last_used_at = null`.execute(database)
  await sql`update watches set last_looked_at = now() - interval '1 day'`.execute(database)
  await setReadOnly('on')
  try {
    const failed: string[] = []
    for (const [path] of reads) {
      const { status, text } = await client.get(path)
      if (status >= 500) failed.push(`${path} ${text}`)
    }
    expect(failed).toEqual([])
    expect(reads.length).toBeGreaterThan(15)
    for (const path of [feedPath, sharePath]) expect((await service.clientFor(null).get(path)).status).toBe(200)
    expect((await client.search('anything')).status).toBe(200)
    expect(await client.post('/api/v1/keys', { name: 'refused' })).toMatchObject({
      status: 503,
      body: { error: { code: 'UNAVAILABLE' } },
    })
  } finally {
    await setReadOnly('off')
  }
  expect((await client.post('/api/v1/keys', { name: 'taken' })).status).toBe(200)
})
