import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { startCommand } from '../../src/cli/command-testing.ts'
import { sweepCalls } from '../../src/collecting/live/calls.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { campaignSize } from '../campaign-size.ts'
import type { DatabaseCopy } from '../database.ts'
import { type Deployment, startDeployment } from '../round-robin/deployment.ts'
import { shuffled } from '../round-robin/kills.ts'
import { campaignAdminKey, openCampaign } from './campaign.ts'
import { type LoadReport, type RunningLoad, startMixedLoad } from './mixed-load.ts'

// Holds (Jobs): `kill -9` of any api or worker behind a load balancer loses, duplicates and double-charges nothing, and makes no answer wrong

// Two api and two worker processes behind a load balancer, each killed once in the middle of a mixed load: every answer was true, every repeated call has one
// effect, all jobs end, and nothing is lost, doubled or charged twice.

const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const depth = 6
const jobs = campaignSize('ROUND_ROBIN_JOBS', { quick: 4, nightly: 8 })
const topics = [
  ...['dark mode', 'offline sync', 'csv export', 'keyboard shortcuts'],
  ...['push notifications', 'bulk edit', 'single sign on', 'screen reader'],
].slice(0, jobs)

const failTest = (error: Error) => {
  throw error
}

async function withDatabase<Result>(copy: DatabaseCopy, use: (database: Database) => Promise<Result>): Promise<Result> {
  const { database, close } = await openDatabase({ ...copy.options, poolSize: 2, onCrash: failTest })
  return use(database).finally(close)
}

const rowsOf = async <Row>(database: Database, query: ReturnType<typeof sql<Row>>) =>
  (await query.execute(database)).rows

/** What the jobs of accounts leave behind: the result of each task, the requests of each job, and what each job paid. */
const readJobs = (copy: DatabaseCopy) =>
  withDatabase(copy, async (database) => ({
    tasks: await rowsOf(
      database,
      sql`select topic, platform, state, pages, requests_found from scrape_tasks
        join scrape_jobs on scrape_jobs.id = job_id where account_id is not null order by 1, 2`,
    ),
    found: await rowsOf(
      database,
      sql`select topic, platform, count(*)::integer as found, md5(string_agg(source_id, ' ' order by source_id)) as ids
        from scrape_job_requests join requests on requests.id = request_id
        join (select id, topic as job_topic, account_id from scrape_jobs) jobs on jobs.id = job_id
        where account_id is not null group by job_id, topic, platform order by 1, 2`,
    ),
    paid: await rowsOf(
      database,
      sql`select topic, settled, state from credit_reservations
        join (select id, topic from scrape_jobs) jobs on jobs.id = job_id order by 1`,
    ),
  }))

interface StoredRequest {
  platform: string
  source_id: string
  title: string
  votes: number
}
const readRequests = (copy: DatabaseCopy) =>
  withDatabase(copy, (database) =>
    rowsOf(database, sql<StoredRequest>`select platform, source_id, title, votes from requests order by 1, 2`),
  )

describe('two api and two worker processes, each killed once', () => {
  let campaign: Awaited<ReturnType<typeof openCampaign>>
  let copy: DatabaseCopy
  let expected: Awaited<ReturnType<typeof readJobs>>
  let expectedRequests: StoredRequest[]
  let deployment: Deployment
  let load: RunningLoad
  let report: LoadReport

  beforeAll(async () => {
    campaign = await openCampaign({ topics, depth })
    ;[expected, expectedRequests] = await campaign.undisturbedRun((undisturbed) =>
      Promise.all([readJobs(undisturbed), readRequests(undisturbed)]),
    )
    copy = await campaign.newCopy()
    deployment = await startDeployment({
      environment: { ...campaign.environmentOf(copy), TRUST_PROXY: '127.0.0.1' },
    })
  }, 600_000)
  afterAll(async () => {
    await deployment?.close()
    await campaign.close()
  })

  it('lets no caller see a fault while each process is killed and started again', { timeout: 900_000 }, async () => {
    console.log(`round-robin campaign: ${jobs} jobs, seed ${seed} (set TEST_SEED to repeat it)`)
    const random = createRandom(seed)
    const { url } = deployment
    const { apiKey, simulator } = campaign
    load = await startMixedLoad({ url, apiKey, adminKey: campaignAdminKey, topics, depth, seed })
    report = load.report
    const before = simulator.requests.length
    await expect.poll(() => simulator.requests.length, { timeout: 60_000 }).toBeGreaterThan(before + 10)
    const startedAt = performance.now()
    const seconds = () => Math.round((performance.now() - startedAt) / 1000)
    for (const process of shuffled(deployment.processes, seed)) {
      await sleep(1_000 + random.next() * 5_000)
      await deployment.kill(process)
      console.log(`killed ${process.name} after ${seconds()} s`)
      await sleep(random.next() * 3_000)
      await deployment.startAgain(process)
    }
    await load.jobsEnded
    console.log(`all jobs ended after ${seconds()} s`)
    await load.stop()
    // What the sweep of dead calls does a minute after their deadline.
    const log = pino({ level: 'silent' })
    await withDatabase(copy, (database) => sweepCalls(database, log, new Date(), new Date(Date.now() + 3600_000)))
    await load.repeatLive()
    console.log(JSON.stringify({ answered: report.answered, lost: report.lost, exports: report.exports }))
    expect(report.faults).toEqual([])
    // A complete one before the kills, and one after them.
    expect(report.exports).toBeGreaterThan(1)
  })

  it('ends every job with what it would have without a kill', async () => {
    expect(await readJobs(copy)).toEqual(expected)
    for (const { status } of report.followed) expect(status).toBe('completed')
    const stored = new Set((await readRequests(copy)).map((request) => JSON.stringify(request)))
    expect(expectedRequests.filter((request) => !stored.has(JSON.stringify(request)))).toEqual([])
  })

  it('gives each call with an Idempotency-Key one effect, and each of its callers the same answer', async () => {
    for (const { key, answers } of [...report.jobs, ...report.expansions, ...report.realtime, ...report.merges]) {
      expect([key, new Set(answers).size]).toEqual([key, Math.min(1, answers.length)])
    }
    const promised = report.jobs.map(({ answers }) => JSON.parse(answers[0]!).data.jobId as string)
    await withDatabase(copy, async (database) => {
      const started = await rowsOf<{ id: string }>(
        database,
        sql`select id from scrape_jobs where account_id is not null`,
      )
      expect(started.map(({ id }) => id).sort()).toEqual(promised.sort())
      const merged = report.merges.flatMap(({ answers }) => JSON.parse(answers[0] ?? 'null')?.data.correctionId ?? [])
      const { rows } = await sql<{ id: string }>`select id from wish_corrections`.execute(database)
      expect(rows.map(({ id }) => id).sort()).toEqual(merged.sort())
    })
  })

  it('shows the followers of a job every event once, over all their connections', () => {
    for (const { events } of report.followed) {
      expect(events.length).toBeGreaterThan(1)
      expect(events).toEqual([...new Set(events)])
      expect(events.at(-1)).toMatch(/\.end$/)
    }
    expect(report.followed.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(topics.length)
  })

  it('has every request that it showed, and every correction that it accepted', async () => {
    await withDatabase(copy, async (database) => {
      const shown = [...report.shown]
      expect(shown.length).toBeGreaterThan(100)
      const [there] = await rowsOf<{ count: number }>(
        database,
        sql`select count(*)::integer as count from requests where id = any(${shown}::uuid[])`,
      )
      expect(there?.count).toBe(shown.length)
      const rows = await rowsOf<{ id: string; is_request: boolean }>(
        database,
        sql`select request_id as id, is_request from request_corrections`,
      )
      expect(new Map(rows.map(({ id, is_request }) => [id, is_request]))).toEqual(report.corrected)
    })
  })

  it('charges the pages of jobs and the live calls that were delivered something, each once', async () => {
    await withDatabase(copy, async (database) => {
      expect(await verifyLedger(database)).toEqual([])
      const [open] = await rowsOf<{ reservations: number; calls: number; held: number }>(
        database,
        sql`select (select count(*) from credit_reservations where state = 'open')::integer as reservations,
          (select count(*) from live_calls)::integer as calls, (select sum(pool_held) from credit_balances)::integer as held`,
      )
      expect(open).toEqual({ reservations: 0, calls: 0, held: 0 })
      const [pages] = await rowsOf<{ pages: number; settled: number }>(
        database,
        sql`select sum(pages)::integer as pages, (select sum(settled) from credit_reservations where job_id is not null)::integer as settled
          from scrape_tasks join scrape_jobs on scrape_jobs.id = job_id where account_id is not null`,
      )
      expect(pages?.settled).toBe(pages?.pages)
      const [live] = await rowsOf<{ expand: number; realtime: number }>(
        database,
        sql`select coalesce(sum(settled) filter (where operation = 'expand'), 0)::integer as expand,
          coalesce(sum(settled) filter (where operation = 'realtime'), 0)::integer as realtime from credit_reservations`,
      )
      const delivered = report.expansions.filter(({ answers }) => JSON.parse(answers[0]!).meta.topicsScraped > 0)
      expect(live?.expand).toBe(delivered.length)
      expect(live?.realtime).toBeLessThanOrEqual(report.realtime.length)
      expect((live?.expand ?? 0) + (live?.realtime ?? 0)).toBeGreaterThan(0)
    })
  })

  it('verifies: the ledger, topics, wishes and vocabulary are right', { timeout: 300_000 }, async () => {
    const { finished } = startCommand(['admin', 'verify'], {
      WISHWELL_URL: deployment.url,
      ADMIN_API_KEY: campaignAdminKey,
    })
    const { exitCode, stdout, stderr } = await finished
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout.trim().split('\n')).toHaveLength(4)
  })

  it('logged no error, and ends each process in order', async () => {
    const lines = deployment.processes.flatMap(({ service }) => service.stderr().split('\n'))
    expect(lines.filter((line) => /"level":(50|60)/.test(line))).toEqual([])
    expect(await deployment.end()).toEqual([0, 0, 0, 0])
  })
})
