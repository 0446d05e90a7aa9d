import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { startService } from '../../src/app/service.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { campaignSize } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { createTestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'
import { countUnended, jobPlatforms } from './job-platforms.ts'

// Holds (Jobs): no page is lost, duplicated or charged twice across `kill -9`
// Holds (Jobs): a kill between any two statements of a job loses and duplicates nothing

// kill -9 between any two steps of a job: after its first statement, after its second, and so on to its last. Whatever the
// step, no credit is lost or charged twice and no page is stored twice. Embedded only: a dead worker on Postgres is given up
// after half a minute, and there are some eighty steps; frozen.nightly.test.ts kills there, too.

/** All steps take minutes, since a service starts for each: `npm test` takes a claim and a page, always the same. */
const isWhole = campaignSize('CRASH_STEPS', { quick: 2, nightly: 100 }) > 2
const fewSteps = [12, 55]
const adminKey = 'admin-key-of-the-crash-test'
const program = fileURLToPath(new URL('dying-service.ts', import.meta.url))
const children: ChildProcess[] = []
let copy: DatabaseCopy | undefined

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await copy?.remove()
})

interface Report {
  /** Statements since it was armed. */
  counted: number
  /** Tasks of any job that have not ended. */
  unended: number
}

async function start() {
  const environment = {
    DATA_DIR: copy?.options.dataDir,
    ADMIN_API_KEY: adminKey,
    PORT: '0',
    ...childEnvironment,
  }
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const child = fork(program, { env: environment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  children.push(child)
  const ended = once(child, 'exit').then(() => null)
  const nextMessage = () => Promise.race([once(child, 'message').then(([message]) => message), ended])
  /** @returns the child's answer, or null when it has died. */
  const ask = async (message: object | string) => {
    const answer = nextMessage()
    // The callback takes the error of a channel that the child's death has closed.
    child.send(message, () => {})
    return answer
  }
  const report = (): Promise<Report | null> => ask('report')
  const started: { url: string } | null = await nextMessage()
  if (started === null) throw new Error('the service ended before it ran')
  const clientOf = (apiKey: string) => createTestClient(() => started.url, apiKey)
  return {
    arm: (dieAfter: number) => ask({ dieAfter }),
    report,
    /** Waits until no job is under way any more, or the child has died. */
    jobsEnded: () => expect.poll(async () => (await report())?.unended ?? 0, { interval: 50, timeout: 30_000 }).toBe(0),
    /** A key that was never used: noting its first use is one of the steps, which a second use would not take. */
    makeClient: async () => {
      const account = { name: 'of one job', tier: 'free' }
      return clientOf((await clientOf(adminKey).post('/api/admin/accounts', account)).body.data.apiKey)
    },
    stop: async () => {
      child.send('stop')
      await ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const jobOf = (step: number) => ({ topic: `dark mode ${step}`, platforms: ['github', 'hackernews'], depth: 4 })

/** How many statements a job takes from its start to its end. */
async function countSteps(): Promise<number> {
  const service = await start()
  const client = await service.makeClient()
  await service.arm(0)
  expect((await client.scrape(jobOf(0))).status).toBe(200)
  await service.jobsEnded()
  const steps = (await service.report())?.counted ?? 0
  await service.stop()
  return steps
}

/** Starts a job in a service that dies at its n-th statement. @returns the job that was promised, and whether it did die. */
async function killAt(step: number): Promise<{ jobId: string | null; survived: boolean }> {
  const service = await start()
  // The work that the last kill interrupted continues, and would be counted.
  await service.jobsEnded()
  const client = await service.makeClient()
  await service.arm(step)
  const answer = await client.scrape(jobOf(step)).catch(() => null)
  await service.jobsEnded()
  const survived = (await service.report()) !== null
  await service.kill()
  return { jobId: answer?.status === 200 ? answer.body.data.jobId : null, survived }
}

it('a kill between any two steps of a job loses and doubles nothing', {
  timeout: isWhole ? 1_800_000 : 120_000,
}, async () => {
  copy = await copyDatabase()
  const steps = isWhole ? Array.from({ length: await countSteps() }, (_, index) => index + 1) : fewSteps
  console.log(`a kill after each of ${steps.length} steps, the last of them ${steps.at(-1)} (CRASH_STEPS=100: all)`)
  const promised: string[] = []
  const survived: number[] = []
  for (const step of steps) {
    const kill = await killAt(step)
    if (kill.jobId !== null) promised.push(kill.jobId)
    if (kill.survived) survived.push(step)
  }
  // The order of the two platforms differs each time, so a job may have one statement fewer than the counted one.
  expect(survived.filter((step) => !isWhole || step < steps.length - 5)).toEqual([])
  // The last start, after which nothing is killed, needs no process.
  const config = readConfig({ DATA_DIR: copy.options.dataDir, ADMIN_API_KEY: adminKey, PORT: '0' })
  const onCrash = (error: Error) => {
    throw error
  }
  const service = await startService(config, pino({ level: 'silent' }), onCrash, {
    platforms: { adapters: jobPlatforms },
  })
  onTestFinished(() => service.stop())
  const { database } = service.database
  const unended = async () => (await sql.raw<{ tasks: number }>(countUnended).execute(database)).rows[0]?.tasks
  await expect.poll(unended, { interval: 50, timeout: 30_000 }).toBe(0)
  expect(await verifyLedger(database)).toEqual([])
  const tasks = await database
    .selectFrom('scrape_tasks')
    .select(['job_id', 'platform', 'state', 'pages', 'requests_found'])
    .execute()
  for (const { job_id, ...task } of tasks) {
    const pages = task.platform === 'github' ? 3 : 1
    expect(task).toEqual({ platform: task.platform, state: 'done', pages, requests_found: pages * 2 })
  }
  const jobs = await database.selectFrom('scrape_jobs').select('id').execute()
  expect(jobs.map(({ id }) => id)).toEqual(expect.arrayContaining(promised))
  expect(tasks).toHaveLength(jobs.length * 2)
  const open = await database.selectFrom('credit_reservations').select('id').where('state', '=', 'open').execute()
  expect(open).toEqual([])
  expect(await database.selectFrom('requests').select('source_id').execute()).toHaveLength(8 * jobs.length)
})
