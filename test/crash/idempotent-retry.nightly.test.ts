import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { openDatabase } from '../../src/database/open.ts'
import { campaignSize } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { createTestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'

// Holds (Credits and limits): a call with an `Idempotency-Key` has one effect and one response

// kill -9 in the midst of a call with an Idempotency-Key: the same call, made again, ends with one job and one charge.

const program = fileURLToPath(new URL('./dying-service.ts', import.meta.url))
const apiKey = generateApiKey()
let copy: DatabaseCopy
let child: ChildProcess | null = null
let url = ''

beforeAll(async () => {
  copy = await copyDatabase()
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await copy.remove()
})

/** Starts the service, to die after so many statements; 0 means never. */
async function start(dieAfter: number): Promise<ChildProcess> {
  const started = fork(program, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: {
      ...childEnvironment,
      PORT: '0',
      DATA_DIR: copy.options.dataDir,
      ...(copy.options.databaseUrl ? { DATABASE_URL: copy.options.databaseUrl } : {}),
      ADMIN_API_KEY: 'admin-key-of-the-crash-test',
      BOOTSTRAP_API_KEY: apiKey,
    },
  })
  child = started
  url = ((await once(started, 'message'))[0] as { url: string }).url
  started.send({ dieAfter })
  await once(started, 'message')
  return started
}

const startJob = (topic: string) =>
  createTestClient(() => url, apiKey).send('POST', '/api/v1/scrape', {
    headers: { 'content-type': 'application/json', 'idempotency-key': topic.replaceAll(' ', '-') },
    body: JSON.stringify({ topic, platforms: ['github'], depth: 2 }),
  })

it('a call that was cut short by kill -9 has one effect when it is made again', { timeout: 120_000 }, async () => {
  // From the claim, through the job, its credits and the kept answer, to what comes after the commit.
  const points = [3, 5, 9, 13, 18].slice(0, campaignSize('RETRY_KILLS', { quick: 2, nightly: 5 }))
  for (const point of points) {
    const topic = `killed at statement ${point}`
    const dying = await start(point)
    const died = once(dying, 'exit')
    const first = await startJob(topic).catch(() => null)
    await died
    const alive = await start(0)
    const second = await startJob(topic)
    expect(second.status).toBe(200)
    if (first) expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect((await startJob(topic)).text).toBe(second.text)
    alive.kill('SIGKILL')
    await once(alive, 'exit')
  }
  const opened = await openDatabase({
    ...copy.options,
    onCrash: (error) => {
      throw error
    },
  })
  const jobs = await opened.database.selectFrom('scrape_jobs').select('topic').execute()
  const reservations = await opened.database.selectFrom('credit_reservations').select('job_id').execute()
  await opened.close()
  expect(jobs.map((job) => job.topic).sort()).toEqual(points.map((point) => `killed at statement ${point}`).sort())
  expect(reservations).toHaveLength(points.length)
})
