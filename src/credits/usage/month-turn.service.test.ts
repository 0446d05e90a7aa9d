import { afterAll, beforeAll, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../verify.ts'

// Holds (Credits and limits): the pool of a month is granted once, however clocks jump

// Takes seconds: jobs run in several months.

// The month changes while a job runs: the whole service, with a job that waits for its second page until the change.

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
  expect((await usage()).credits).toMatchObject({ used: 40, held: 40 })

  now = december
  const fresh = { used: 0, limit: 100, remaining: 100, held: 0, resetsAt: '2027-01-01T00:00:00.000Z' }
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
  const { results: entries } = (await client.get('/api/v1/usage/entries')).body.data
  const movement = (jobId: string, month: string, kind: string, createdAt: Date, poolHeld: number) =>
    expect.objectContaining({
      cause: jobId,
      month,
      kind,
      createdAt: createdAt.toISOString(),
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

it('a clock that jumps 40 days ahead and back gives each month its pool once, and keeps no account in the later one', async () => {
  const { client } = await service.createAccount('free')
  const credits = async () => (await client.get('/api/v1/usage')).body.data.credits
  const run = async (depth: number) => {
    const { status, body } = await client.scrape({
      topic: 'dark mode',
      platforms: ['hackernews'],
      depth,
      maxCredits: depth,
    })
    if (status === 200) await client.waitForJob(body.data.jobId)
    return [status, body.error?.message ?? body.usage.credits.used]
  }
  const right = new Date('2026-12-20T12:00:00.000Z')
  const wrong = new Date(right.getTime() + 40 * 24 * 3600_000)
  now = right
  expect(await run(3)).toEqual([200, 3])
  now = wrong
  expect(await run(2)).toEqual([200, 2])
  now = right
  expect(await credits()).toEqual({ used: 3, limit: 100, remaining: 97, held: 0, resetsAt: '2027-01-01T00:00:00.000Z' })
  // There are three pages only: the remaining credits of each job are released.
  for (let used = 3; used <= 60; used += 3) expect(await run(3)).toEqual([200, used + 3])
  for (const jump of [wrong, right, wrong, right]) {
    now = jump
    expect(await credits()).toMatchObject({ used: jump === right ? 63 : 2 })
  }
  expect(await run(38)).toEqual([429, 'Credit limit exceeded (63/100). Resets on 2027-01-01.'])
  now = wrong
  expect(await run(40)).toEqual([200, 42])
  expect(await credits()).toMatchObject({ used: 5, resetsAt: '2027-02-01T00:00:00.000Z' })
  // The later month has come: what was used in it by mistake is used.
  now = new Date('2027-01-01T00:00:00.000Z')
  expect(await credits()).toMatchObject({ used: 5, remaining: 95 })
  expect(await verifyLedger(service.database)).toEqual([])
})
