import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import type { PlatformErrorCode, TaskState } from '../../database/column-types.ts'
import { jobStatus, jobStatuses, statusOf } from './jobs.ts'

// Holds (Jobs): lists filter by the same status that jobs show

let service: TestService
beforeAll(async () => {
  service = await startTestService({ platforms: platformMap(scriptedPlatform('github', numberedPages(2))) })
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const list = async (query = '') => (await service.client.get(`/api/v1/scrape?${query}`)).body.data
const firstAccount = async () =>
  (await service.database.selectFrom('accounts').select('id').orderBy('created_at').limit(1).executeTakeFirstOrThrow())
    .id

interface TaskOfJob {
  state: TaskState
  error_code: PlatformErrorCode | null
  started_at: Date | null
}
const kinds: TaskOfJob[] = [
  { state: 'pending', error_code: null, started_at: null },
  { state: 'running', error_code: null, started_at: new Date() },
  { state: 'done', error_code: null, started_at: new Date() },
  { state: 'error', error_code: 'timeout', started_at: new Date() },
  { state: 'skipped', error_code: 'not_configured', started_at: new Date() },
  { state: 'skipped', error_code: 'cancelled', started_at: null },
  // A task of a platform that was off from the start.
  { state: 'skipped', error_code: 'not_configured', started_at: null },
]

/** Writes a job in any state, without running it. */
async function writeJob(accountId: string | null, tasks: readonly TaskOfJob[], createdAt: Date): Promise<string> {
  const { database } = service
  const { id } = await database
    .insertInto('scrape_jobs')
    .values({ account_id: accountId, topic: 'a topic', depth: 1, created_at: createdAt })
    .returning('id')
    .executeTakeFirstOrThrow()
  const platforms = ['github', 'hackernews', 'stackexchange'] as const
  await database
    .insertInto('scrape_tasks')
    .values(tasks.map((task, position) => ({ ...task, job_id: id, platform: platforms[position]!, position })))
    .execute()
  return id
}

describe('the status of a job', () => {
  it('is the same in SQL as in code, whatever its tasks are', async () => {
    const accountId = await firstAccount()
    const combinations = kinds.flatMap((a) => [[a], ...kinds.flatMap((b) => [[a, b], ...kinds.map((c) => [a, b, c])])])
    const expected = new Map<string, string>()
    for (const tasks of combinations) expected.set(await writeJob(accountId, tasks, new Date()), statusOf(tasks))
    const rows = await service.database
      .selectFrom('scrape_jobs')
      .select(['id', jobStatus.as('status')])
      .execute()
    expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(expected)
  })
})

describe('the list of jobs', () => {
  it('has the jobs of this account as polling returns them, the last started first', async () => {
    const started: string[] = []
    for (const topic of ['first', 'second', 'third']) {
      const { body } = await service.client.scrape({ topic, platforms: ['github'], depth: 2 })
      started.unshift(body.data.jobId)
      await service.client.waitForJob(body.data.jobId)
    }
    const { results: jobs, hasMore, cursor } = await list()
    expect([jobs.map(({ jobId }: { jobId: string }) => jobId), hasMore, cursor]).toEqual([started, false, null])
    const polled = (await service.client.get(`/api/v1/scrape/${started[0]}`)).body.data
    expect(jobs[0]).toEqual({ ...polled, depth: 2, createdAt: expect.any(String) })
    expect(polled).toMatchObject({
      credits: { held: 0, settled: 2 },
      startedBy: {
        keyId: expect.any(String),
        keyName: 'BOOTSTRAP_API_KEY',
        personName: null,
        watchId: null,
        watchName: null,
      },
    })
    const stranger = (await service.createAccount()).client
    expect((await stranger.get('/api/v1/scrape')).body.data).toEqual({ results: [], hasMore: false, cursor: null })
  })

  it('lists each job of a status exactly once, page after page, while others are started', async () => {
    const accountId = await firstAccount()
    const written = new Map<string, string>()
    // Several at the same moment, ordered by their ids.
    for (let index = 0; index < 60; index++) {
      const tasks = [kinds[index % 7]!, kinds[(index * 5) % 7]!]
      const id = await writeJob(accountId, tasks, new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 7))))
      written.set(id, statusOf(tasks))
    }
    for (const status of [undefined, ...jobStatuses]) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const query = `limit=4${status ? `&status=${status}` : ''}${cursor ? `&cursor=${cursor}` : ''}`
        const page = await list(query)
        seen.push(...page.results.map(({ jobId }: { jobId: string }) => jobId))
        cursor = page.cursor
        expect(page.hasMore).toBe(cursor !== null)
        await writeJob(accountId, [kinds[2]!], new Date(Date.UTC(2026, 5, 1 + seen.length)))
      } while (cursor !== null)
      const expected = [...written].filter(([, its]) => status === undefined || its === status).map(([id]) => id)
      expect(seen.filter((id) => written.has(id)).sort()).toEqual(expected.sort())
      expect(new Set(seen).size).toBe(seen.length)
    }
  })

  it('scans a bounded number of jobs for a page, and finds a rare job on a later page', async () => {
    const accountId = await firstAccount()
    const rare = await writeJob(accountId, [kinds[3]!], new Date(Date.UTC(2025, 0, 1)))
    await sql`
      with jobs as (
        insert into scrape_jobs (account_id, topic, depth, created_at)
        select ${accountId}::uuid, 'a topic', 1, timestamptz '2026-01-01' + number * interval '1 second'
        from generate_series(1, 2000) number returning id
      ) insert into scrape_tasks (job_id, platform, position, state) select id, 'github', 0, 'done' from jobs`.execute(
      service.database,
    )
    const pages: { results: { jobId: string }[]; hasMore: boolean }[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`status=failed${cursor ? `&cursor=${cursor}` : ''}`)
      pages.push(page)
      cursor = page.cursor
    }
    expect(pages.map(({ results, hasMore }) => [results.map(({ jobId }) => jobId), hasMore])).toEqual([
      [[], true],
      [[], true],
      [[rare], false],
    ])
  })

  it.each(['status=done', 'limit=0', 'limit=101', 'cursor=x', 'cursor=WyJqb2JzIiwtMSwieCJd', 'offset=1'])(
    'refuses ?%s: 400',
    async (query) => {
      const answer = await service.client.get(`/api/v1/scrape?${query}`)
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, query.split('=')[0]])
    },
  )
})

describe("the operator's list of jobs", () => {
  interface AdminJob {
    jobId: string
    accountId: string
    accountName: string
  }
  const admin = () => service.clientFor(service.adminKey)
  const page = async (query: string) => (await admin().get(`/api/admin/jobs?${query}`)).body.data

  it('has the jobs of all accounts with their owners, also of deleted accounts, each once and the last started first', async () => {
    const [one, two] = [await service.createAccount('pro'), await service.createAccount('free')]
    const start = Date.now()
    const made: AdminJob[] = []
    for (let index = 0; index < 12; index++) {
      const [accountId, accountName] =
        index % 3 === 0 ? [one.accountId, 'a pro account'] : [two.accountId, 'deleted account']
      // Some at the same moment: then the id decides.
      const createdAt = new Date(start + Math.floor(index / 2) * 1_000)
      made.push({
        jobId: await writeJob(accountId, [{ state: 'done', error_code: null, started_at: null }], createdAt),
        accountId,
        accountName,
      })
    }
    await admin().send('DELETE', `/api/admin/accounts/${two.accountId}`)
    const seen: AdminJob[] = []
    let cursor: string | null = ''
    do {
      const { results: jobs, ...rest }: { results: AdminJob[]; cursor: string | null } = await page(
        `limit=5&cursor=${cursor ?? ''}`.replace(/&cursor=$/, ''),
      )
      seen.push(...jobs.map(({ jobId, accountId, accountName }) => ({ jobId, accountId, accountName })))
      cursor = rest.cursor
    } while (cursor !== null)
    expect(new Set(seen.map((job) => job.jobId)).size).toBe(12)
    expect(seen).toEqual(expect.arrayContaining(made))
    const moments = (await page('limit=100')).results.map((job: { createdAt: string }) => job.createdAt)
    expect(moments).toEqual([...moments].sort().reverse())
  })

  it('is filtered by status and refused to accounts, whose own list has no owners', async () => {
    const { accountId, client } = await service.createAccount()
    const done = await writeJob(accountId, [{ state: 'done', error_code: null, started_at: null }], new Date())
    await writeJob(await firstAccount(), [{ state: 'pending', error_code: null, started_at: null }], new Date())
    expect((await page('status=completed')).results.map((job: AdminJob) => job.jobId)).toEqual([done])
    expect((await client.get('/api/admin/jobs')).status).toBe(401)
    // An unowned job is in no list.
    await writeJob(null, [{ state: 'done', error_code: null, started_at: null }], new Date())
    expect((await page('')).results).toHaveLength(2)
    const own = (await client.get('/api/v1/scrape')).body.data.results
    expect(own.map((job: AdminJob) => job.jobId)).toEqual([done])
    expect(Object.keys(own[0])).not.toEqual(expect.arrayContaining(['accountId']))
  })
})
