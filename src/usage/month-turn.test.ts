import { afterAll, beforeAll, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { verifyLedger } from '../credits/verify.ts'

// The month turns while a job runs: the whole service, with a job that waits for its second page until it has turned.

const lastInstant = new Date('2026-11-30T23:59:59.999Z')
const december = new Date('2026-12-01T00:00:00.000Z')
const turned = Promise.withResolvers<void>()
let now = lastInstant
let service: TestService

beforeAll(async () => {
  const waiting = scriptedPlatform('github', async (call, request) => {
    if (call === 1) await turned.promise
    return numberedPages(2)(call, request)
  })
  const platforms = platformMap(waiting, scriptedPlatform('hackernews', numberedPages(3)))
  service = await startTestService({ platforms, clock: { now: () => now } })
})
afterAll(() => service.stop())

it('a job under way at the turn of the month is settled in the old one, and takes nothing from the fresh pool', async () => {
  const { client } = await service.createAccount('free')
  const usage = async () => (await client.get('/api/v1/usage?days=1')).body.data
  const start = async (platform: string, depth: number) => {
    const { body } = await client.scrape({ topic: 'dark mode', platforms: [platform], depth })
    return { jobId: body.data.jobId as string, credits: body.usage.credits }
  }
  const old = await start('github', 40)
  expect(old.credits).toEqual({ used: 40, limit: 100, remaining: 60 })
  const pagesOfOld = () =>
    service.database.selectFrom('scrape_tasks').select('pages').where('job_id', '=', old.jobId).executeTakeFirst()
  await expect.poll(pagesOfOld).toEqual({ pages: 1 })

  now = december
  const fresh = { used: 0, limit: 100, remaining: 100, resetsAt: '2027-01-01T00:00:00.000Z' }
  expect((await usage()).credits).toEqual(fresh)
  const next = await start('hackernews', 3)
  expect(next.credits).toEqual({ used: 3, limit: 100, remaining: 97 })
  await client.waitForJob(next.jobId)
  turned.resolve()
  await client.waitForJob(old.jobId)

  expect(await usage()).toMatchObject({
    credits: { ...fresh, used: 3, remaining: 97 },
    days: [{ date: '2026-12-01', operation: 'scrape', credits: 5 }],
  })
  const { entries } = (await client.get('/api/v1/usage/entries')).body.data
  const movement = (jobId: string, month: string, kind: string, createdAt: Date, poolHeld: number) =>
    expect.objectContaining({
      ...{ cause: jobId, month, kind, createdAt: createdAt.toISOString() },
      changes: expect.objectContaining({ poolHeld, poolSettled: kind === 'settle' ? -poolHeld : 0 }),
    })
  expect(entries).toEqual([
    movement(old.jobId, '2026-11', 'release', december, -38),
    movement(old.jobId, '2026-11', 'settle', december, -2),
    movement(next.jobId, '2026-12', 'settle', december, -3),
    movement(next.jobId, '2026-12', 'reserve', december, 3),
    movement(old.jobId, '2026-11', 'reserve', lastInstant, 40),
  ])
  expect(await verifyLedger(service.database)).toEqual([])
})
