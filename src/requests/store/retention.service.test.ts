import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, testAdminKey } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Platform } from '../../platforms/platform.ts'
import { deleteExpiredRequests } from './delete.ts'

// Holds (Data): requests not shown by their platform within its permitted time are deleted

const dayMs = 86_400_000
const platforms = new Map<PlatformName, Platform>()
const clock = { now: () => new Date(Date.UTC(2026, 1, 1) + days * dayMs) }
let days = 0
let votes = 1
let service: TestService

beforeAll(async () => {
  for (const name of ['youtube', 'github'] as const) {
    platforms.set(
      name,
      scriptedPlatform(name, (_call, { topic }) => ({
        requests: [foundRequest(`${topic} 1`, { votes }), foundRequest(`${topic} 2`)],
        nextCursor: null,
      })),
    )
  }
  service = await startTestService({ platforms, clock, environment: { YOUTUBE_API_KEY: 'a-key' } })
})
afterEach(async () => {
  days = 0
  votes = 1
  await service.reset()
})
afterAll(() => service.stop())

async function collect(topic: string) {
  const { body } = await service.client.scrape({ topic, platforms: ['youtube', 'github'] })
  await service.client.waitForJob(body.data.jobId)
}
const expire = () => deleteExpiredRequests(service.database, service.config.platforms.retention, clock.now())
const left = async () => {
  const { rows } = await sql<{ place: string }>`
    select platform || ' ' || source_id as place from requests order by 1`.execute(service.database)
  return rows.map(({ place }) => place)
}
const versions = async () => {
  const { rows } = await sql<{ version: string }>`
    select platform || source_id || ' ' || ctid::text || xmin::text as version from requests order by 1`.execute(
    service.database,
  )
  return rows.map(({ version }) => version)
}

it('what was not refreshed for as long as its platform allows is deleted, and may be collected again', async () => {
  await collect('seen')
  await collect('lost')
  days = 20
  votes = 2
  await collect('seen')
  days = 30
  expect(await expire()).toBe(false)
  // Not a day too early; and `seen 2` did not change, but was seen.
  expect(await left()).toHaveLength(8)
  days = 30.001
  await expire()
  expect(await left()).toEqual([
    'github lost 1',
    'github lost 2',
    'github seen 1',
    'github seen 2',
    'youtube seen 1',
    'youtube seen 2',
  ])
  expect((await service.client.search('lost', { limit: 100 })).body.data.results).toHaveLength(2)
  days = 50.001
  await expire()
  expect(await left()).toHaveLength(4)
  await collect('lost')
  expect(await left()).toContain('youtube lost 1')
})

it('an unchanged request is marked as seen at most once a day, only where there is a retention', async () => {
  await collect('birds')
  const first = await versions()
  days = 0.9
  await collect('birds')
  expect(await versions()).toEqual(first)
  days = 1.1
  await collect('birds')
  const second = await versions()
  expect(second.slice(0, 2)).toEqual(first.slice(0, 2))
  expect(second[2]).not.toBe(first[2])
  days = 2
  await collect('birds')
  expect(await versions()).toEqual(second)
  const [request] = (await service.client.get('/api/v1/requests?platforms=youtube')).body.data.results
  expect(request.updatedAt).toBe(request.createdAt)
})

it('thousands expire in slices of at most 100, by one index', async () => {
  await changeRequests(
    service.database,
    sql`
    insert into requests (confidence, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at)
    select 1, 'youtube', n::text, '', '', 0, '{}', '', 't', ${clock.now()}::timestamptz, ${clock.now()}::timestamptz
    from generate_series(1, 450) as n`,
  )
  days = 31
  const leftAfter: number[] = []
  while (await expire()) leftAfter.push((await left()).length)
  expect([...leftAfter, (await left()).length]).toEqual([350, 250, 150, 50, 0])
})

it('a purge by age has the same meaning of refreshed', async () => {
  await collect('birds')
  days = 10
  await collect('birds')
  days = 15
  const purge = (olderThanDays: number, dryRun: boolean) =>
    service.clientFor(testAdminKey).post('/api/admin/purge', { olderThanDays, dryRun })
  // Of github nothing tells that it was seen again: only that it has not changed.
  expect((await purge(6, true)).body.data).toMatchObject({ matched: 2, matchedByPlatform: { github: 2 } })
  expect((await purge(5, true)).body.data.matched).toBe(2)
  expect((await purge(4, false)).body.data).toMatchObject({ matched: 4, deleted: 4, purgeId: null })
})
