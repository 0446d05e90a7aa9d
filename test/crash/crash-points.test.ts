import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { generateApiKey } from '../../src/accounts/keys.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { openDatabase } from '../../src/database/open.ts'
import { createTestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'

// kill -9 between any two steps of a job: after its first statement, after its second, and so on to its last. Whatever the
// step, no credit is lost or charged twice and no page is stored twice. Embedded only: a dead worker on Postgres is given up
// after half a minute, and there are some forty steps; kill.test.ts kills there too.

const embedded = process.env.TEST_HOME === 'embedded'
/** Every step takes minutes: a run of the suite takes each third one, from a first one that changes from run to run. */
const stride = process.env.TEST_EVERY_STEP ? 1 : 3
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * stride))
const apiKey = generateApiKey()
const service = fileURLToPath(new URL('dying-service.ts', import.meta.url))
let copy: DatabaseCopy | undefined

afterAll(() => copy?.remove())

async function start(): Promise<{ child: ChildProcess; url: string }> {
  const environment = { DATA_DIR: copy?.options.dataDir, BOOTSTRAP_API_KEY: apiKey, PORT: '0', PATH: process.env.PATH }
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const child = fork(service, { env: environment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [message] = await once(child, 'message')
  return { child, url: (message as { url: string }).url }
}

const ask = async (child: ChildProcess, message: object | string) => {
  child.send(message)
  const [answer] = await once(child, 'message')
  return answer as { counted: number }
}

const job = { topic: 'dark mode', platforms: ['github', 'hackernews'], depth: 4 }

/** How many statements a job takes from its start to its end, polls not counted. */
async function countSteps(): Promise<number> {
  const { child, url } = await start()
  const client = createTestClient(() => url, apiKey)
  await ask(child, { dieAfter: 0 })
  const { body } = await client.scrape(job)
  let steps = 0
  await expect
    .poll(
      async () => {
        const before = steps
        steps = (await ask(child, 'count')).counted
        return steps > 10 && steps === before
      },
      { interval: 500, timeout: 10_000 },
    )
    .toBe(true)
  await client.waitForJob(body.data.jobId)
  child.send('stop')
  await once(child, 'exit')
  return steps
}

it.runIf(embedded)(
  'a kill between any two steps of a job loses and doubles nothing',
  { timeout: 300_000 },
  async () => {
    copy = await copyDatabase()
    const steps = await countSteps()
    console.log(
      `${steps} steps, a kill after every ${stride} from ${(seed % stride) + 1} (TEST_SEED=${seed}, TEST_EVERY_STEP=1)`,
    )
    const promised: string[] = []
    for (let step = 1 + (seed % stride); step <= steps; step += stride) {
      const { child, url } = await start()
      const client = createTestClient(() => url, apiKey)
      // What the last kill interrupted has gone on by itself.
      for (const jobId of promised.slice(-1)) await client.waitForJob(jobId)
      await ask(child, { dieAfter: step })
      const died = once(child, 'exit')
      const answer = await client.scrape(job).catch(() => null)
      if (answer?.status === 200) promised.push(answer.body.data.jobId)
      await died
    }
    const { child, url } = await start()
    const client = createTestClient(() => url, apiKey)
    for (const jobId of promised) expect(await client.waitForJob(jobId)).toMatchObject({ status: 'completed' })
    // Also a job whose answer was never sent ends, if it was started at all.
    await expect.poll(async () => (await client.get('/api/v1/usage')).status).toBe(200)
    child.send('stop')
    await once(child, 'exit')

    const onCrash = (error: Error) => {
      throw error
    }
    const { database, close } = await openDatabase({ ...copy.options, onCrash })
    expect(await verifyLedger(database)).toEqual([])
    const tasks = await database
      .selectFrom('scrape_tasks')
      .select(['platform', 'state', 'pages', 'requests_found'])
      .execute()
    expect(tasks.length).toBeGreaterThanOrEqual(promised.length * 2)
    for (const task of tasks) {
      const pages = task.platform === 'github' ? 3 : 1
      expect(task).toEqual({ platform: task.platform, state: 'done', pages, requests_found: pages * 2 })
    }
    const open = await database.selectFrom('credit_reservations').select('id').where('state', '=', 'open').execute()
    expect(open).toEqual([])
    expect(await database.selectFrom('requests').select('source_id').execute()).toHaveLength(8)
    await close()
  },
)
