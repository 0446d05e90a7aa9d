import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { movedClock, runsOf, watchOf } from './testing.ts'

const clock = movedClock('2026-03-20T12:00:00Z')
let service: TestService

beforeAll(async () => {
  const platforms = platformMap(
    scriptedPlatform('github', numberedPages(3)),
    scriptedPlatform('hackernews', numberedPages(3)),
  )
  service = await startTestService({ clock, platforms, environment: { PLATFORMS: 'github,hackernews' } })
})
afterAll(() => service.stop())
beforeEach(async () => {
  clock.set('2026-03-20T12:00:00Z')
  await service.reset()
})

const send = (method: string, path: string, body?: unknown) =>
  service.client.send(method, `/api/v1/watches${path}`, {
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })

const minimal = { name: 'a watch', topic: 'dark mode', schedule: '30 8 * * *', monthlyCredits: 10 }

describe('a watch', () => {
  it('is made with what is given and defaults for the rest', async () => {
    const { status, body } = await service.client.post('/api/v1/watches', minimal)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      watchId: expect.any(String),
      ...minimal,
      platforms: ['github', 'hackernews'],
      sources: null,
      depth: 1,
      timezone: 'UTC',
      usedThisMonth: 0,
      goal: null,
      goalIsCompared: null,
      filters: {},
      channelIds: [],
      reportsQuiet: false,
      mutedNews: [],
      state: 'active',
      askingBecause: null,
      createdAt: '2026-03-20T12:00:00.000Z',
      madeBy: expect.any(String),
      nextRunAt: '2026-03-21T08:30:00.000Z',
      lastRun: null,
      preview: {
        runs: [21, 22, 23, 24, 25].map((day) => ({ at: `2026-03-${day}T08:30:00.000Z`, maxCredits: 2 })),
        month: { runs: 31, maxCredits: 10, paidRuns: 5 },
      },
    })
    const { preview: _, ...listed } = body.data
    expect((await send('GET', '')).body.data).toEqual({ results: [listed], hasMore: false, cursor: null })
    expect((await send('GET', `/${body.data.watchId}`)).body.data).toEqual(body.data)
  })

  it('says that its goal changes nothing where no model compares news with it', async () => {
    const watch = await watchOf(service.client, { goal: 'sharing' })
    expect(watch).toMatchObject({ goal: 'sharing', goalIsCompared: false })
    const { body } = await service.client.post('/api/v1/watches/preview', { topic: 'dark mode' })
    expect(body.data.comparesGoals).toBe(false)
  })

  it('needs only a topic', async () => {
    const { client } = await service.createAccount('free')
    const { status, body } = await client.post('/api/v1/watches', { topic: 'dark mode' })
    expect([status, body.error]).toEqual([200, undefined])
    const terms = {
      name: 'dark mode',
      schedule: 'daily',
      timezone: 'UTC',
      depth: 1,
      platforms: ['github', 'hackernews'],
    }
    expect(body.data).toMatchObject({ ...terms, monthlyCredits: 62, preview: { month: { runs: 31, paidRuns: 31 } } })
    // What the plan gives a month pays for no more.
    const hourly = await client.post('/api/v1/watches', { topic: 'dark mode', schedule: 'hourly' })
    expect(hourly.body.data.monthlyCredits).toBe(100)
    const deep = await client.post('/api/v1/watches', { topic: 'dark mode', depth: 40, platforms: ['github'] })
    expect(deep.body.data.monthlyCredits).toBe(100)
    const costly = await client.post('/api/v1/watches', {
      topic: 'dark mode',
      depth: 40,
      platforms: ['github', 'hackernews'],
    })
    expect(costly.body.data.monthlyCredits).toBe(100)
    const preview = await client.post('/api/v1/watches/preview', { topic: 'dark mode' })
    expect(preview.body.data.month).toEqual({ runs: 31, maxCredits: 62, paidRuns: 31 })
  })

  it('has the instants of the preview that was asked for before', async () => {
    const { body } = await service.client.post('/api/v1/watches/preview', {
      topic: 'Dark mode',
      schedule: 'weekly',
      timezone: 'Europe/Berlin',
      depth: 3,
    })
    expect(body.data.month).toEqual({
      runs: expect.any(Number),
      maxCredits: 6 * body.data.month.runs,
      paidRuns: body.data.month.runs,
    })
    const watch = await watchOf(service.client, { schedule: 'weekly', timezone: 'Europe/Berlin' })
    expect(watch.preview.runs.map(({ at }: { at: string }) => at)).toEqual(
      body.data.runs.map(({ at }: { at: string }) => at),
    )
    expect(watch.nextRunAt).toBe(body.data.runs[0].at)
  })

  it.each([
    [{ schedule: '* * * * *' }, 'schedule'],
    [{ timezone: '+01:00' }, 'timezone'],
    [{ timezone: 'Mars/Base' }, 'timezone'],
    [{ depth: 6 }, 'monthlyCredits'],
    [{ name: '' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ topic: '!!' }, 'topic'],
    [{ goal: 'x'.repeat(501) }, 'goal'],
    [{ filters: { topic: 'other' } }, 'filters.topic'],
    [{ filters: { status: ['unheard'] } }, 'filters.status.0'],
    [{ channelIds: ['no id'] }, 'channelIds[0]'],
    [{ channelIds: ['00000000-0000-4000-8000-000000000001'] }, 'channelIds[0]'],
    [{ sources: { github: ['nothing'] } }, 'sources.github[0]'],
    [{ platforms: [] }, 'platforms'],
    [{ unknown: 1 }, 'unknown'],
  ])('is refused with %j', async (fields, path) => {
    const { status, body } = await service.client.post('/api/v1/watches', { ...minimal, ...fields })
    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.error.details[0].path).toBe(path)
    expect((await send('GET', '')).body.data.results).toEqual([])
  })

  it('keeps what a change does not name', async () => {
    const { watchId, preview: _, ...before } = await watchOf(service.client, { goal: 'sharing', schedule: '0 8 * * *' })
    const change = { name: 'another', goal: null, filters: { minVotes: 3, status: ['open'] } }
    const { body } = await send('PATCH', `/${watchId}`, change)
    expect(body.data).toMatchObject({ ...before, ...change, goalIsCompared: null })
    const later = await send('PATCH', `/${watchId}`, { timezone: 'Asia/Tokyo' })
    expect(later.body.data).toMatchObject({ ...change, timezone: 'Asia/Tokyo', nextRunAt: '2026-03-20T23:00:00.000Z' })
    for (const wrong of [
      { monthlyCredits: 1, depth: 2 },
      { topic: 'other' },
      {},
      { schedule: 'never' },
      { state: 'asking' },
    ]) {
      expect((await send('PATCH', `/${watchId}`, wrong)).status).toBe(400)
    }
  })

  it('is paused and resumed', async () => {
    const { watchId } = await watchOf(service.client, { schedule: '0 8 * * *' })
    const paused = (await send('PATCH', `/${watchId}`, { state: 'paused' })).body.data
    expect([paused.state, paused.nextRunAt]).toEqual(['paused', null])
    clock.set('2026-03-25T12:00:00Z')
    await service.runDueWatches()
    expect(await runsOf(service.client, watchId)).toEqual([])
    expect((await send('PATCH', `/${watchId}`, { state: 'active' })).body.data.nextRunAt).toBe(
      '2026-03-26T08:00:00.000Z',
    )
  })

  it('is no business of another account', async () => {
    const { watchId } = await watchOf(service.client)
    const { client } = await service.createAccount()
    const calls: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'mine' }],
      ['DELETE', ''],
      ['POST', '/run'],
      ['GET', '/runs'],
    ]
    for (const [method, path, body] of calls) {
      for (const id of [watchId, 'no-id']) {
        const answer = await client.send(method, `/api/v1/watches/${id}${path}`, {
          ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
        })
        expect([method, path, answer.status]).toEqual([method, path, 404])
      }
    }
    expect((await client.get('/api/v1/watches')).body.data.results).toEqual([])
    expect((await send('GET', `/${watchId}`)).body.data.name).toBe('a watch')
  })

  it('is one of at most a hundred, and made once for an Idempotency-Key', async () => {
    const post = (key: string) =>
      service.client.send('POST', '/api/v1/watches', {
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(minimal),
      })
    const [first, again] = [await post('one'), await post('one')]
    expect(again.text).toBe(first.text)
    await sql`
      insert into watches (account_id, name, topic, platforms, depth, schedule, timezone, monthly_credits, created_at, last_looked_at, state)
      select account_id, name, topic, platforms, depth, schedule, timezone, monthly_credits, created_at, last_looked_at, 'paused'
      from watches cross join generate_series(1, 97)`.execute(service.database)
    const made = await Promise.all(Array.from({ length: 10 }, (_, index) => post(`further-${index}`)))
    expect(made.map(({ status }) => status).sort()).toEqual([200, 200, ...Array(8).fill(409)])
  })

  it('is removed with its history, and with its account', async () => {
    const { watchId } = await watchOf(service.client)
    const { body } = await send('POST', `/${watchId}/run`)
    await service.client.waitForJob(body.data.jobId)
    expect((await send('DELETE', `/${watchId}`)).body).toEqual({ data: { watchId } })
    expect((await send('GET', `/${watchId}`)).status).toBe(404)
    expect((await service.client.get(`/api/v1/scrape/${body.data.jobId}`)).body.data.status).toBe('completed')
    const other = await service.createAccount()
    await watchOf(other.client)
    const admin = service.clientFor(service.adminKey)
    expect((await admin.send('DELETE', `/api/admin/accounts/${other.accountId}`)).status).toBe(200)
    expect(await service.database.selectFrom('watches').select('id').execute()).toEqual([])
  })
})

describe('a run that is asked for', () => {
  it('is a job of the watch, one at a time, paid by its budget', async () => {
    const { watchId } = await watchOf(service.client, { depth: 2, monthlyCredits: 4 })
    const first = await send('POST', `/${watchId}/run`)
    expect([first.status, first.body.usage.credits.used]).toEqual([200, 2])
    const { jobId } = first.body.data
    await service.client.waitForJob(jobId)
    clock.set('2026-03-20T13:00:00Z')
    const second = await send('POST', `/${watchId}/run`)
    await service.client.waitForJob(second.body.data.jobId)
    const third = await send('POST', `/${watchId}/run`)
    expect([third.status, third.body.error?.reason]).toEqual([429, 'watch_budget'])
    expect((await runsOf(service.client, watchId)).at(-1)).toMatchObject({
      trigger: 'manual',
      jobId,
      status: 'completed',
      credits: 2,
      requestsCreated: 4,
      skipped: null,
    })
  })

  it('is the last run of its watch, alone and in the list', async () => {
    const { watchId } = await watchOf(service.client)
    const other = await watchOf(service.client)
    for (const time of ['2026-03-20T14:00:00Z', '2026-03-20T15:00:00Z']) {
      clock.set(time)
      const { jobId } = (await send('POST', `/${watchId}/run`)).body.data
      await service.client.waitForJob(jobId)
    }
    const [last] = await runsOf(service.client, watchId)
    expect(last).toMatchObject({ dueAt: '2026-03-20T15:00:00.000Z', status: 'completed' })
    expect((await send('GET', `/${watchId}`)).body.data.lastRun).toEqual(last)
    const { results: watches } = (await send('GET', '')).body.data
    const lastRunOf = (id: string) => watches.find((watch: { watchId: string }) => watch.watchId === id).lastRun
    expect([lastRunOf(watchId), lastRunOf(other.watchId)]).toEqual([last, null])
  })

  it('is refused while another is under way', async () => {
    const { watchId } = await watchOf(service.client)
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('POST', `/${watchId}/run`)))
    expect(answers.map(({ status }) => status).filter((status) => status === 200).length).toBeGreaterThan(0)
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body.error.code]).toEqual([409, 'CONFLICT'])
    const jobs = await service.database.selectFrom('watch_runs').select('job_id').execute()
    expect(jobs).toHaveLength(answers.filter(({ status }) => status === 200).length)
    for (const { job_id } of jobs) await service.client.waitForJob(job_id!)
  })
})

it('pages through the history', async () => {
  const { watchId } = await watchOf(service.client)
  await send('PATCH', `/${watchId}`, { state: 'paused' })
  for (let day = 21; day < 26; day++) {
    clock.set(`2026-03-${day}T12:00:00Z`)
    const { body } = await send('POST', `/${watchId}/run`)
    await service.client.waitForJob(body.data.jobId)
  }
  const dates: string[] = []
  let cursor: string | null = null
  do {
    const { body } = await send('GET', `/${watchId}/runs?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
    dates.push(...body.data.results.map(({ dueAt }: { dueAt: string }) => dueAt.slice(8, 10)))
    cursor = body.data.cursor
  } while (cursor !== null)
  expect(dates).toEqual(['25', '24', '23', '22', '21'])
})
