import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { type Budget, createBudget } from '../../platforms/budget/budget.ts'
import { createMemoryQuotas } from '../../platforms/budget/quota.ts'
import { type FoundRequest, type Platform, PlatformError, type Refreshed } from '../../platforms/platform.ts'
import { preparePage } from '../store/prepared-page.ts'
import { storePageAlone } from '../store/store.ts'
import { startRefreshing } from './refreshing.ts'

// Holds (Jobs): a request is deleted on its platform's explicit sign, or when missing on three days from a readable source
// Holds (Jobs): a source that became private or unreadable deletes nothing
// Holds (Jobs): known requests are reread only while their platform has no open task; jobs wait for one such call at most
// Holds (Jobs): two processes never reread the same request at once

const dayMs = 86_400_000
let now = new Date('2026-03-01T12:00:00.000Z')
const clock = { now: () => now }
const pass = (days: number) => {
  now = new Date(now.getTime() + days * dayMs)
}

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.reset())
afterAll(() => opened.close())

const known = (sourceId: string, fields: Partial<FoundRequest> = {}) =>
  foundRequest(sourceId, { refreshHandle: `repo ${sourceId}`, status: 'open', ...fields })

async function store(...requests: FoundRequest[]) {
  const page = await preparePage('github', { requests }, null)
  await storePageAlone(opened.database, { ...page, platform: 'github', jobId: null, topic: 'dark mode', now })
}

/** What the platform answers to each handle; by default the request is left out. */
type Answers = Map<string, Refreshed>

/** A platform whose requests can be read again, in groups by the first word of a handle. */
function refreshable(answers: Answers, maxHandles = 100) {
  const calls: string[][] = []
  const platform: Platform = {
    name: 'github',
    fetchPage: async () => null,
    refresh: {
      maxHandles,
      groupOf: (handle) => handle.split(' ')[0]!,
      read: async (handles) => {
        calls.push([...handles])
        return handles.map((handle) => answers.get(handle) ?? { handle, state: 'missing' })
      },
    },
  }
  return { platform, calls }
}

function start(platform: Platform, hosts: readonly Budget[] = []) {
  const refreshing = startRefreshing({
    database: opened.database,
    clock,
    log: pino({ level: 'silent' }),
    platforms: new Map([['github', platform]]),
    hosts: new Map([['github', hosts]]),
  })
  onTestFinished(() => refreshing.stop())
  return refreshing
}

const stored = async () => {
  const { rows } = await sql<{ source_id: string; votes: number; status: string | null }>`
    select source_id, votes, status from requests order by source_id`.execute(opened.database)
  return rows.map(({ source_id, votes, status }) => `${source_id} ${votes} ${status}`)
}
const found = (sourceId: string, fields: Partial<FoundRequest> = {}): [string, Refreshed] => [
  `repo ${sourceId}`,
  { handle: `repo ${sourceId}`, state: 'found', request: known(sourceId, fields) },
]

describe('a known request', () => {
  it('is read again when it is due, and gets its new votes, status and a sample of the votes', async () => {
    await store(known('1', { votes: 5 }), known('2', { votes: 5 }))
    const { platform, calls } = refreshable(
      new Map([found('1', { votes: 9, status: 'completed' }), found('2', { votes: 5 })]),
    )
    const refreshing = start(platform)
    await refreshing.run()
    expect(calls).toEqual([])
    pass(30)
    await refreshing.run()
    expect(calls.flat().sort()).toEqual(['repo 1', 'repo 2'])
    expect(await stored()).toEqual(['1 9 completed', '2 5 open'])
    const { rows } = await sql`select votes from vote_samples order by day`.execute(opened.database)
    expect(rows).toEqual([{ votes: 5 }, { votes: 9 }])
    // Read again just now: not due.
    await refreshing.run()
    expect(calls).toHaveLength(1)
  })

  it('that the platform calls gone is deleted at once, and is not suppressed', async () => {
    await store(known('1'), known('2'))
    pass(30)
    const { platform } = refreshable(new Map([found('2'), ['repo 1', { handle: 'repo 1', state: 'gone' }]]))
    await start(platform).run()
    expect(await stored()).toEqual(['2 1 open'])
    await store(known('1'))
    expect(await stored()).toEqual(['1 1 open', '2 1 open'])
  })

  it('that answers leave out is deleted on the third day in a row, not on the third try', async () => {
    await store(known('1'))
    pass(30)
    const { platform, calls } = refreshable(new Map())
    const refreshing = start(platform)
    for (let day = 0; day < 2; day++) {
      await refreshing.run()
      pass(1.01)
    }
    expect(calls).toHaveLength(2)
    expect(await stored()).toEqual(['1 1 open'])
    // A second answer on one day is no second day.
    await sql`update request_refreshes set due_at = ${now}`.execute(opened.database)
    await sql`update request_refreshes set missed_on = ${now.toISOString().slice(0, 10)}::date`.execute(opened.database)
    await refreshing.run()
    expect(await stored()).toEqual(['1 1 open'])
    pass(1.01)
    await refreshing.run()
    expect(await stored()).toEqual([])
  })

  it('that was missing once and is found again counts from the beginning', async () => {
    await store(known('1'))
    pass(30)
    const answers: Answers = new Map()
    const { platform } = refreshable(answers)
    const refreshing = start(platform)
    await refreshing.run()
    pass(1.01)
    answers.set(...found('1', { votes: 3 }))
    await refreshing.run()
    answers.clear()
    for (let day = 0; day < 2; day++) {
      pass(40)
      await refreshing.run()
    }
    expect(await stored()).toEqual(['1 3 open'])
  })

  it('of a source that cannot be read now stays, and is left alone for a week', async () => {
    await store(known('1'))
    pass(30)
    const { platform, calls } = refreshable(new Map([['repo 1', { handle: 'repo 1', state: 'unreadable' }]]))
    const refreshing = start(platform)
    await refreshing.run()
    pass(6)
    await refreshing.run()
    expect(calls).toHaveLength(1)
    pass(1.01)
    await refreshing.run()
    expect(calls).toHaveLength(2)
    expect(await stored()).toEqual(['1 1 open'])
  })

  it('that was merged into another one is not read every ten minutes', async () => {
    await store(known('1'))
    pass(30)
    const { platform, calls } = refreshable(
      new Map([['repo 1', { handle: 'repo 1', state: 'found', request: known('77') }]]),
    )
    const refreshing = start(platform)
    await refreshing.run()
    pass(0.1)
    await refreshing.run()
    expect(calls).toHaveLength(1)
    expect(await stored()).toEqual(['1 1 open'])
  })
})

describe('a refresh', () => {
  it('stores no request that is not known, and joins none to a topic', async () => {
    await store(known('1'))
    const links = () => sql`select * from request_topics`.execute(opened.database)
    const before = (await links()).rows
    pass(30)
    const { platform } = refreshable(new Map([found('1', { votes: 2 })]))
    await start(platform).run()
    expect((await links()).rows).toHaveLength(before.length)
    const { rows } = await sql`select key from topics`.execute(opened.database)
    expect(rows).toEqual([{ key: 'dark mode' }])
  })

  it('reads the most wanted first, those of one group together, as many as one call takes', async () => {
    await store(
      known('1', { votes: 1 }),
      known('2', { votes: 900, refreshHandle: 'other 2' }),
      known('3', { votes: 7 }),
      known('4', { votes: 3 }),
    )
    pass(40)
    const { platform, calls } = refreshable(new Map(), 2)
    await start(platform).run()
    expect(calls.map((handles) => handles.toSorted())).toEqual([['other 2'], ['repo 3', 'repo 4'], ['repo 1']])
  })

  it('is left to jobs: not while a task is open, nor with half of a window or of a daily quota used', async () => {
    await store(known('1'))
    pass(30)
    const { platform, calls } = refreshable(new Map())
    const open = (quotas = createMemoryQuotas()) =>
      createBudget({
        name: 'api',
        platform: 'github',
        windows: [{ limit: 4, windowMs: 60_000 }],
        concurrency: 1,
        quota: { limit: 10, periodEnd: (moment) => new Date(moment.getTime() + dayMs) },
        quotas,
      })
    const used = async (times: number) => {
      const host = open()
      for (let request = 0; request < times; request++) await host.take(now)
      return host
    }
    await start(platform, [await used(3)]).run()
    expect(calls).toHaveLength(0)
    const host = open()
    for (let request = 0; request < 5; request++) await host.take(new Date(now.getTime() - 600_000 + request * 60_000))
    await start(platform, [host]).run()
    expect(calls).toHaveLength(0)

    const jobId = randomUUID()
    await sql`insert into scrape_jobs (id, topic, depth, created_at) values (${jobId}, 'x y', 1, ${now})`.execute(
      opened.database,
    )
    await sql`insert into scrape_tasks (job_id, platform, position) values (${jobId}, 'github', 0)`.execute(
      opened.database,
    )
    await start(platform, [open()]).run()
    expect(calls).toHaveLength(0)
    await sql`update scrape_tasks set state = 'done'`.execute(opened.database)
    await start(platform, [await used(2)]).run()
    expect(calls).toHaveLength(1)
  })

  it('ends its round when a task is opened in the middle of it: the job waits for one call at most', async () => {
    await store(...Array.from({ length: 3 }, (_, index) => known(`${index}`)))
    pass(30)
    const { platform, calls } = refreshable(new Map(), 1)
    const jobId = randomUUID()
    const openTask = async () => {
      await sql`insert into scrape_jobs (id, topic, depth, created_at) values (${jobId}, 'x y', 1, ${now})`.execute(
        opened.database,
      )
      await sql`insert into scrape_tasks (job_id, platform, position) values (${jobId}, 'github', 0)`.execute(
        opened.database,
      )
    }
    const { read } = platform.refresh!
    const interrupted: Platform = {
      ...platform,
      refresh: {
        ...platform.refresh!,
        read: async (handles, signal) => {
          if (calls.length === 0) await openTask()
          return read(handles, signal)
        },
      },
    }
    const refreshing = start(interrupted)
    await refreshing.run()
    await refreshing.run()
    expect(calls).toHaveLength(1)
    await sql`update scrape_tasks set state = 'done'`.execute(opened.database)
    await refreshing.run()
    expect(calls).toHaveLength(3)
  })

  it('that fails pauses the platform until it may be called again', async () => {
    await store(known('1'))
    pass(30)
    let calls = 0
    const { platform } = refreshable(new Map())
    const failing: Platform = {
      ...platform,
      refresh: {
        ...platform.refresh!,
        read: async () => {
          calls++
          throw new PlatformError('rate_limited', 'later', { retryAt: new Date(now.getTime() + dayMs / 24) })
        },
      },
    }
    const refreshing = start(failing)
    await refreshing.run()
    await refreshing.run()
    expect(calls).toBe(1)
    pass(1 / 23)
    await refreshing.run()
    expect(calls).toBe(2)
    expect(await stored()).toEqual(['1 1 open'])
  })

  it('of two processes reads each request once', async () => {
    await store(...Array.from({ length: 40 }, (_, index) => known(`${index}`)))
    pass(30)
    const { platform, calls } = refreshable(new Map(), 4)
    await Promise.all([start(platform).run(), start(platform).run()])
    expect(calls.flat()).toHaveLength(40)
    expect(new Set(calls.flat()).size).toBe(40)
  })
})
