import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../test/client.ts'
import { foundRequest, platformMap, type Script, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { PlatformError } from '../platforms/platform.ts'
import { eventsOf, movedClock, openJobs, runsOf, watchOf } from './testing.ts'

// Holds (Watches, news and channels): each instant of a watch has one run or one recorded reason, despite clocks, kills and processes
// Holds (Watches, news and channels): a watch of a revoked or expired key, or deleted account, does not run
// Holds (Watches, news and channels): collecting news finds everything since its instant, whether platforms obey, ignore or refuse it; idle sources end alone

const clock = movedClock('2026-03-20T12:00:00Z')
/** What the platforms answer; by default one page with one request. */
let answer: Script
const onePage: Script = () => ({ requests: [foundRequest('one')], nextCursor: null })
const github = scriptedPlatform('github', (call, request) => answer(call, request))
const hackernews = scriptedPlatform('hackernews', (call, request) => answer(call, request))
let service: TestService

beforeAll(async () => {
  service = await startTestService({
    clock,
    platforms: platformMap(github, hackernews),
    environment: { PLATFORMS: 'github,hackernews', BOOTSTRAP_TIER: 'free', RUNNING_JOBS_FREE: '2' },
  })
})
afterAll(() => service.stop())
beforeEach(async () => {
  answer = onePage
  clock.set('2026-03-20T12:00:00Z')
  await service.reset()
  github.calls.length = 0
  hackernews.calls.length = 0
})

const ended = () => expect.poll(() => openJobs(service.database), { timeout: 30_000 }).toBe(0)

/** Lets the clock come to a moment, and the runs that are due end. */
async function comeTo(moment: string): Promise<void> {
  clock.set(moment)
  await service.runDueWatches()
  await ended()
}

const daily = (fields: Record<string, unknown> = {}) => watchOf(service.client, { schedule: '0 8 * * *', ...fields })
/** A look at it. */
const read = async (watchId: string) => (await service.client.get(`/api/v1/watches/${watchId}`)).body.data
const resume = (client: TestClient, watchId: string) =>
  client.send('PATCH', `/api/v1/watches/${watchId}`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ state: 'active' }),
  })
/** What is stored of the only watch: reading it by the interface is a look. */
const stored = () =>
  service.database.selectFrom('watches').select(['state', 'asking_because', 'last_looked_at']).executeTakeFirstOrThrow()

describe('a watch that is due', () => {
  it('runs once at its instant, as a job of its own', async () => {
    const { watchId } = await daily()
    await comeTo('2026-03-21T07:59:59Z')
    expect(await runsOf(service.client, watchId)).toEqual([])
    await comeTo('2026-03-21T08:00:03Z')
    await comeTo('2026-03-21T08:00:09Z')
    const runs = await runsOf(service.client, watchId)
    expect(runs).toEqual([
      {
        runId: expect.any(String),
        trigger: 'schedule',
        dueAt: '2026-03-21T08:00:00.000Z',
        begunAt: '2026-03-21T08:00:03.000Z',
        skipped: null,
        jobId: expect.any(String),
        status: 'completed',
        credits: 1,
        requestsCreated: 1,
        maybeCreated: 0,
        problems: [],
      },
    ])
    expect(await read(watchId)).toMatchObject({ nextRunAt: '2026-03-22T08:00:00.000Z', usedThisMonth: 1 })
    const entries = await service.database.selectFrom('credit_entries').select(['watch_id', 'kind']).execute()
    expect(entries.map(({ kind, watch_id }) => [kind, watch_id])).toEqual([
      ['reserve', watchId],
      ['settle', watchId],
    ])
  })

  it('runs once after days without the service', async () => {
    const { watchId } = await daily()
    await comeTo('2026-03-29T10:00:00Z')
    await comeTo('2026-03-29T10:00:10Z')
    const runs = await runsOf(service.client, watchId)
    expect(runs.map(({ dueAt }: { dueAt: string }) => dueAt)).toEqual(['2026-03-21T08:00:00.000Z'])
    expect((await read(watchId)).nextRunAt).toBe('2026-03-30T08:00:00.000Z')
  })

  it('runs once when several loops meet', async () => {
    const watches = await Promise.all([1, 2, 3].map((number) => daily({ name: `watch ${number}` })))
    clock.set('2026-03-21T08:00:00Z')
    await Promise.all([service.runDueWatches(), service.runDueWatches(), service.runMaintenance()])
    await ended()
    for (const { watchId } of watches) expect(await runsOf(service.client, watchId)).toHaveLength(1)
  })

  it('is not delayed by another that fails', async () => {
    const [broken, other] = [await daily({ schedule: '0 7 * * *' }), await daily()]
    // No such schedule passes the routes.
    await service.database.updateTable('watches').set({ schedule: 'broken' }).where('id', '=', broken.watchId).execute()
    await comeTo('2026-03-21T08:00:00Z')
    expect(await runsOf(service.client, other.watchId)).toHaveLength(1)
  })

  it('is skipped while its last run is under way', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    answer = async (call, request) => {
      await released
      return onePage(call, request)
    }
    const { watchId } = await watchOf(service.client, { schedule: '0 * * * *' })
    clock.set('2026-03-20T13:00:00Z')
    await service.runDueWatches()
    await expect.poll(() => github.calls.length).toBe(1)
    clock.set('2026-03-20T14:00:00Z')
    await service.runDueWatches()
    release()
    await ended()
    await comeTo('2026-03-20T15:00:00Z')
    const runs = await runsOf(service.client, watchId)
    expect(runs.map(({ skipped }: { skipped: string | null }) => skipped)).toEqual([null, 'under_way', null])
    expect(await eventsOf(service.database, 'watch.skipped_no_credits')).toEqual([])
  })

  it('obeys the running jobs of its plan', async () => {
    let open = 0
    let most = 0
    answer = async () => {
      open += 1
      most = Math.max(most, open)
      await expect.poll(() => openJobs(service.database)).toBeGreaterThan(0)
      open -= 1
      return { requests: [], nextCursor: null }
    }
    for (let number = 0; number < 5; number++) await daily({ topic: `topic ${number}` })
    await comeTo('2026-03-21T08:00:00Z')
    expect(most).toBeLessThanOrEqual(2)
    expect(github.calls).toHaveLength(5)
  })
})

describe('a run that nothing pays for', () => {
  it('is skipped by the budget of the watch, told once a month, and goes on the next month', async () => {
    const { watchId } = await daily({ monthlyCredits: 2 })
    for (let day = 21; day <= 31; day++) await comeTo(`2026-03-${day}T08:00:00Z`)
    await comeTo('2026-04-01T08:00:00Z')
    const runs = await runsOf(service.client, watchId)
    expect(runs.map(({ skipped }: { skipped: string | null }) => skipped ?? 'ran').reverse()).toEqual([
      'ran',
      'ran',
      ...Array(9).fill('no_credits'),
      'ran',
    ])
    const events = await eventsOf(service.database, 'watch.skipped_no_credits')
    expect(events.map(({ subject, watch_id }) => [subject, watch_id])).toEqual([
      [{ watchId, runId: runs.at(-3).runId, reason: 'watch_budget' }, watchId],
    ])
    for (let day = 2; day <= 5; day++) await comeTo(`2026-04-0${day}T08:00:00Z`)
    expect(await eventsOf(service.database, 'watch.skipped_no_credits')).toHaveLength(2)
  })

  it('is skipped by the pool of the account, and paid again as soon as it can be', async () => {
    const { watchId } = await daily({ monthlyCredits: 1_000 })
    await service.database.updateTable('credit_balances').set({ month: '2026-03', pool_held: 100 }).execute()
    await comeTo('2026-03-21T08:00:00Z')
    await service.database.updateTable('credit_balances').set({ pool_held: 0 }).execute()
    await comeTo('2026-03-22T08:00:00Z')
    const runs = await runsOf(service.client, watchId)
    expect(runs.map(({ skipped }: { skipped: string | null }) => skipped)).toEqual([null, 'no_credits'])
    const [event] = await eventsOf(service.database, 'watch.skipped_no_credits')
    expect(event?.subject).toMatchObject({ reason: 'credits' })
  })
})

describe('a watch that nobody looks at', () => {
  it('asks after 90 days, once, and waits for its owner', async () => {
    const { watchId } = await daily({ monthlyCredits: 1_000 })
    await comeTo('2026-06-18T08:00:00Z')
    expect((await stored()).state).toBe('active')
    await comeTo('2026-06-19T08:00:00Z')
    await comeTo('2026-06-25T08:00:00Z')
    expect(await read(watchId)).toMatchObject({ state: 'asking', askingBecause: 'not_looked_at', nextRunAt: null })
    expect(await runsOf(service.client, watchId)).toHaveLength(1)
    const events = await eventsOf(service.database, 'watch.asks')
    expect(events.map(({ subject, watch_id }) => [subject, watch_id])).toEqual([
      [{ watchId, reason: 'not_looked_at' }, watchId],
    ])
    await resume(service.client, watchId)
    await comeTo('2026-06-26T08:00:00Z')
    expect(await runsOf(service.client, watchId)).toHaveLength(2)
  })

  it('goes on when somebody does', async () => {
    const { watchId } = await daily()
    clock.set('2026-06-10T00:00:00Z')
    const reader = await service.client.post('/api/v1/keys', { name: 'reader', scope: 'read' })
    const path = `/api/v1/watches/${watchId}`
    expect((await service.clientFor(reader.body.data.apiKey).get(path)).status).toBe(200)
    // Longer than a look takes to be noted, and so long that a second one would be.
    clock.set('2026-06-12T00:00:00Z')
    expect((await stored()).last_looked_at).toEqual(new Date('2026-03-20T12:00:00Z'))
    expect((await service.client.get(path)).status).toBe(200)
    const noted = { state: 'active', asking_because: null, last_looked_at: new Date('2026-06-12T00:00:00Z') }
    await expect.poll(stored).toEqual(noted)
    clock.set('2026-06-12T23:00:00Z')
    expect((await service.client.get(path)).body.data).toEqual((await service.client.get(path)).body.data)
    await comeTo('2026-08-01T08:00:00Z')
    expect(await stored()).toEqual(noted)
  })
})

it('a watch that was made while its account was being deleted does not run, and goes', async () => {
  const { watchId } = await daily()
  const { client, accountId } = await service.createAccount()
  await watchOf(client, { schedule: '0 8 * * *' })
  // The route would have deleted its watch, if it had been there.
  await service.database.updateTable('accounts').set({ deleted_at: clock.now() }).where('id', '=', accountId).execute()
  await comeTo('2026-03-21T08:00:00Z')
  const jobs = await service.database.selectFrom('scrape_jobs').select('watch_id').execute()
  expect(jobs).toEqual([{ watch_id: watchId }])
  expect(await service.database.selectFrom('watches').select('id').execute()).toEqual([{ id: watchId }])
})

describe('a watch whose key has ended', () => {
  const keyOf = async (terms: Record<string, unknown> = {}) => {
    const { body } = await service.client.post('/api/v1/keys', { name: 'of a watch', scope: 'collect', ...terms })
    return body.data as { keyId: string; apiKey: string }
  }
  const ofKey = ({ apiKey }: { apiKey: string }) =>
    watchOf(service.clientFor(apiKey), { schedule: '0 8 * * *', monthlyCredits: 1_000 })
  const asks = async () => (await eventsOf(service.database, 'watch.asks')).map(({ subject }) => subject)

  it('asks from the next instant on, and goes on with the key that resumes it', async () => {
    const [leaked, kept] = [await keyOf(), await keyOf()]
    const [{ watchId }, other] = [await ofKey(leaked), await ofKey(kept)]
    await comeTo('2026-03-21T08:00:00Z')
    expect((await service.client.send('DELETE', `/api/v1/keys/${leaked.keyId}`)).status).toBe(200)
    await comeTo('2026-03-22T08:00:00Z')
    await comeTo('2026-03-23T08:00:00Z')
    expect(await read(watchId)).toMatchObject({ state: 'asking', askingBecause: 'key_ended', nextRunAt: null })
    expect(await runsOf(service.client, watchId)).toHaveLength(1)
    expect(await runsOf(service.client, other.watchId)).toHaveLength(3)
    expect(await asks()).toEqual([{ watchId, reason: 'key_ended' }])
    // A look is no answer.
    await read(watchId)
    await comeTo('2026-03-24T08:00:00Z')
    expect(await runsOf(service.client, watchId)).toHaveLength(1)
    await resume(service.clientFor(kept.apiKey), watchId)
    await comeTo('2026-03-25T08:00:00Z')
    expect(await runsOf(service.client, watchId)).toHaveLength(2)
    const { key_id } = await service.database
      .selectFrom('watches')
      .select('key_id')
      .where('id', '=', watchId)
      .executeTakeFirstOrThrow()
    expect(key_id).toBe(kept.keyId)
  })

  it('asks at the instant at which its key has expired', async () => {
    const { watchId } = await ofKey(await keyOf({ expiresAt: '2026-03-22T08:00:00Z' }))
    await comeTo('2026-03-21T08:00:00Z')
    await comeTo('2026-03-22T08:00:00Z')
    expect(await runsOf(service.client, watchId)).toHaveLength(1)
    expect(await asks()).toEqual([{ watchId, reason: 'key_ended' }])
  })
})

describe('what a run asks for', () => {
  const since = () => github.calls.map(({ newestSince }) => newestSince?.toISOString() ?? null)

  it('is relevance first, then what is new since the last run that was done, less an hour', async () => {
    const { watchId } = await daily()
    await comeTo('2026-03-21T08:00:00Z')
    await comeTo('2026-03-22T08:00:00Z')
    answer = () => {
      throw new PlatformError('unauthorized' as never, 'no')
    }
    await comeTo('2026-03-23T08:00:00Z')
    answer = onePage
    await comeTo('2026-03-24T08:00:00Z')
    expect(since()).toEqual([null, '2026-03-21T07:00:00.000Z', '2026-03-22T07:00:00.000Z', '2026-03-22T07:00:00.000Z'])
    await service.client.send('PATCH', `/api/v1/watches/${watchId}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ platforms: ['github', 'hackernews'] }),
    })
    // The new platform has had no run by relevance.
    await comeTo('2026-03-25T08:00:00Z')
    await comeTo('2026-03-26T08:00:00Z')
    expect(since().slice(-2)).toEqual([null, '2026-03-25T07:00:00.000Z'])
  })

  it('is what is new since the first of the last 100 runs, where a platform did not begin in one of them', async () => {
    const { watchId } = await daily()
    await comeTo('2026-03-21T08:00:00Z')
    // A hundred runs whose jobs ended before they began.
    await sql`
      with moments as (select '2026-03-21T09:00:00Z'::timestamptz + number * interval '1 minute' as at from generate_series(0, 99) as number),
      jobs as (
        insert into scrape_jobs (account_id, topic, depth, created_at, ended_at, watch_id)
        select watches.account_id, watches.topic, 1, at, at, watches.id from moments cross join watches returning id, created_at
      ), tasks as (
        insert into scrape_tasks (job_id, platform, position, state, error_code, completed_at)
        select id, 'github', 0, 'error', 'cancelled', created_at from jobs
      )
      insert into watch_runs (watch_id, trigger, due_at, begun_at, job_id, reported_at)
      select ${watchId}, 'manual', created_at, created_at, id, created_at from jobs`.execute(service.database)
    await comeTo('2026-03-22T08:00:00Z')
    expect(since()).toEqual([null, '2026-03-21T08:00:00.000Z'])
  })

  it('ends after the first page that has nothing new to the watch, which is charged', async () => {
    const pages =
      (found: string[][]): Script =>
      (_call, { cursor }) => {
        const page = typeof cursor === 'number' ? cursor : 0
        return {
          requests: found[page]!.map((id) => foundRequest(id)),
          nextCursor: page + 1 < found.length ? page + 1 : null,
        }
      }
    const { watchId } = await daily({ depth: 4, monthlyCredits: 50 })
    answer = pages([['c'], ['b'], ['a'], ['z']])
    await comeTo('2026-03-21T08:00:00Z')
    // Another job had stored y: it is news to the watch.
    answer = pages([['y']])
    const other = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    await service.client.waitForJob(other.body.data.jobId)
    answer = pages([['d', 'c'], ['y'], ['d', 'b'], ['x']])
    await comeTo('2026-03-22T08:00:00Z')
    answer = pages([['d'], ['x']])
    await comeTo('2026-03-23T08:00:00Z')
    const runs = await runsOf(service.client, watchId)
    expect(runs.map(({ credits }: { credits: number }) => credits)).toEqual([1, 3, 4])
    expect((await read(watchId)).usedThisMonth).toBe(8)
  })

  it('goes on after a page whose items are all left out, and ends after one that has nothing at all', async () => {
    const { watchId } = await daily({ depth: 4, monthlyCredits: 50 })
    answer = () => ({ requests: [foundRequest('a')], nextCursor: null })
    await comeTo('2026-03-21T08:00:00Z')
    answer = (_call, { cursor }) =>
      cursor === null
        ? { requests: [], discarded: { noText: 50 }, nextCursor: 1 }
        : cursor === 1
          ? { requests: [], offTopic: [foundRequest('other')], discarded: { offTopic: 1 }, nextCursor: 2 }
          : { requests: [foundRequest('b')], nextCursor: null }
    await comeTo('2026-03-22T08:00:00Z')
    answer = () => ({ requests: [], nextCursor: 1 })
    await comeTo('2026-03-23T08:00:00Z')
    const runs = await runsOf(service.client, watchId)
    const shown = runs.map(({ credits, requestsCreated }: Record<string, number>) => [credits, requestsCreated])
    expect(shown).toEqual([
      [1, 0],
      [3, 1],
      [1, 1],
    ])
  })
})

describe('a platform with several sources', () => {
  /** Two sources, which are asked in turns; each gives its pages, and ends after one without anything new. */
  const twoSources =
    (found: Record<string, string[][]>): Script =>
    (_call, { cursor, pagesBefore }) => {
      const names = Object.keys(found)
      const ended = typeof cursor === 'object' && cursor !== null && 'ended' in cursor ? (cursor.ended as string[]) : []
      const open = names.filter((name) => !ended.includes(name))
      const name = cursor === null ? names[pagesBefore % names.length]! : open[0]!
      const rest = open.filter((one) => one !== name)
      return {
        requests: found[name]![0]!.map((id) => foundRequest(id)),
        nextCursor: { ended },
        nextCursorIfKnown: rest.length === 0 ? null : { ended: [...ended, name] },
      }
    }
  const newIn = async (watchId: string) =>
    (await runsOf(service.client, watchId)).map(({ requestsCreated }: { requestsCreated: number }) => requestsCreated)

  it('goes on with the next source when one has nothing new', async () => {
    const { watchId } = await daily({ depth: 2, monthlyCredits: 50 })
    answer = twoSources({ one: [['a']], two: [['b']] })
    await comeTo('2026-03-21T08:00:00Z')
    answer = twoSources({ one: [['a']], two: [['new']] })
    await comeTo('2026-03-22T08:00:00Z')
    await comeTo('2026-03-23T08:00:00Z')
    expect((await newIn(watchId)).reduce((sum: number, count: number) => sum + count, 0)).toBeGreaterThanOrEqual(2)
    const stored = await service.database.selectFrom('requests').select('source_id').execute()
    expect(stored.map(({ source_id }) => source_id)).toContain('new')
  })

  it('that were not all asked keep the instant since when they are asked', async () => {
    await daily({ depth: 1, monthlyCredits: 50 })
    answer = twoSources({ one: [['a']], two: [['b']] })
    for (const day of [21, 22, 23]) await comeTo(`2026-03-${day}T08:00:00Z`)
    expect(github.calls.map(({ newestSince }) => newestSince?.toISOString() ?? null)).toEqual([
      null,
      '2026-03-21T07:00:00.000Z',
      '2026-03-21T07:00:00.000Z',
    ])
  })

  it('take turns by the pages of the watch alone, whatever others collect between its runs', async () => {
    await daily({ depth: 1, monthlyCredits: 50 })
    answer = twoSources({ one: [['a']], two: [['b']] })
    for (const day of [21, 22, 23, 24]) {
      await comeTo(`2026-03-${day}T08:00:00Z`)
      const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
      await service.client.waitForJob(body.data.jobId)
    }
    const ofWatch = github.calls.filter(({ newestSince }) => newestSince)
    expect(ofWatch.map(({ pagesBefore }) => pagesBefore)).toEqual([1, 2, 3])
  })

  it('that were all asked, and had nothing new, are asked since the begin of that run', async () => {
    await daily({ depth: 4, monthlyCredits: 50 })
    answer = twoSources({ one: [['a']], two: [['b']] })
    for (const day of [21, 22, 23]) await comeTo(`2026-03-${day}T08:00:00Z`)
    expect(github.calls.at(-1)?.newestSince?.toISOString()).toBe('2026-03-22T07:00:00.000Z')
  })
})

describe('the end of a job', () => {
  it('is told to its account: what delivered, what failed, what was off', async () => {
    const { watchId } = await daily()
    await comeTo('2026-03-21T08:00:00Z')
    answer = () => {
      throw new PlatformError('bad_response', 'no')
    }
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    await service.client.waitForJob(body.data.jobId)
    const off = await service.client.scrape({ topic: 'dark mode', platforms: ['lemmy'] })
    const [{ jobId: ofWatch }] = await runsOf(service.client, watchId)
    const told = async (type: string) => (await eventsOf(service.database, type)).map(({ subject }) => subject)
    expect(await told('scrape.completed')).toEqual([
      { jobId: ofWatch, watchId },
      { jobId: off.body.data.jobId, watchId: null },
    ])
    expect(await told('scrape.failed')).toEqual([{ jobId: body.data.jobId, watchId: null }])
  })
})

it('the history of a watch keeps 400 days, and the last 1,000 runs', async () => {
  const long = await daily()
  const short = await daily({ name: 'short' })
  const add = (watchId: string, count: number, every: string) =>
    sql`
      insert into watch_runs (watch_id, trigger, due_at, begun_at, skipped)
      select ${watchId}, 'schedule', at, at, 'no_credits'
      from generate_series(1, ${count}::integer) as number
      cross join lateral (select '2026-03-20T10:00:00Z'::timestamptz - number * ${every}::interval as at) as moment`.execute(
      service.database,
    )
  // Half a day each: the last 1,000 of them are older than 400 days at their end.
  await add(long.watchId, 1_050, '12 hours')
  await add(short.watchId, 900, '1 day')
  await service.database.updateTable('watches').set({ next_run_at: null }).execute()
  await sql`update watches set created_at = '2022-01-01'`.execute(service.database)
  const kept = async (watchId: string) =>
    (await service.database.selectFrom('watch_runs').select('id').where('watch_id', '=', watchId).execute()).length
  await service.runMaintenance()
  expect(await kept(long.watchId)).toBe(1_000)
  expect(await kept(short.watchId)).toBe(900)
})
