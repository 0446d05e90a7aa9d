import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { startLaboratory } from './laboratory.ts'

// Without a token GitHub is one host. With one, GraphQL is another, with a pause of its own.
const laboratory = await startLaboratory({ configure: () => ({ GITHUB_TOKEN: '' }) })
const { service, simulator, clock } = laboratory
const { client, database } = service
afterAll(() => laboratory.stop())

const start = async (platform: string, topic = 'quokka') => {
  const { body } = await client.scrape({ topic, platforms: [platform] })
  return body.data.jobId as string
}
const run = async (platform: string, topic?: string) => client.waitForJob(await start(platform, topic))
const statusOf = async (name: string) =>
  (await client.get('/api/v1/platforms')).body.data.results.find(
    ({ platform }: { platform: string }) => platform === name,
  )
const waitingUntil = async (jobId: string) => {
  const task = database.selectFrom('scrape_tasks').select('waiting_until').where('job_id', '=', jobId)
  return (await task.executeTakeFirstOrThrow()).waiting_until
}
const requestsTo = (name: string) => simulator.requests.filter(({ platform }) => platform === name).length

/** Also moves the queue messages forward, because the queue uses the clock of the database; a new message wakes it. */
async function goOnAt(moment: Date): Promise<void> {
  clock.jump(moment.getTime() - clock.now().getTime())
  await sql`update pgboss.job set start_after = now() where name = 'scrape-task'`.execute(database)
  await run('hackernews', `wake ${moment.getTime()}`)
}

it('a platform that keeps failing is paused, is shown as paused, gets no calls meanwhile, and recovers', async () => {
  simulator.setFault('github', 'server_error', { times: Number.POSITIVE_INFINITY })
  const failed = await run('github')
  expect(failed.errors).toMatchObject([{ platform: 'github', code: 'unavailable' }])

  const paused = await statusOf('github')
  expect(paused).toMatchObject({ state: 'paused', hosts: [{ state: 'paused', failures: 5 }] })
  const until = new Date(paused.resumesAt)
  expect(until.getTime() - clock.now().getTime()).toBeGreaterThan(30_000)
  expect(paused.advice).toMatch(/503/)

  simulator.clearFaults()
  const before = requestsTo('github')
  const jobId = await start('github')
  await expect.poll(() => waitingUntil(jobId)).toEqual(until)
  expect(await run('hackernews')).toMatchObject({ status: 'completed' })
  expect(requestsTo('github')).toBe(before)

  await goOnAt(until)
  expect(await client.waitForJob(jobId)).toMatchObject({ status: 'completed', progress: { github: 'done' } })
  expect(await statusOf('github')).toMatchObject({ state: 'ready', advice: null, hosts: [{ failures: 0 }] })
})

it('a platform that fails after every pause ends its jobs with an error that says so', async () => {
  simulator.setFault('github', 'server_error', { times: Number.POSITIVE_INFINITY })
  await run('github')
  const jobId = await start('github')
  const before = requestsTo('github')
  let pauses = 0
  for (;;) {
    await expect.poll(async () => (await waitingUntil(jobId)) ?? (await ended(jobId))).toBeTruthy()
    const until = await waitingUntil(jobId)
    if (until === null) break
    pauses += 1
    await goOnAt(until)
  }
  expect(pauses).toBeGreaterThan(2)
  const job = await client.waitForJob(jobId)
  expect(job.errors).toMatchObject([{ platform: 'github', code: 'unavailable' }])
  expect(job.errors[0].message).toMatch(/keeps failing .* paused until/)
  // Three tries after each pause, and none during it.
  expect(requestsTo('github') - before).toBe(3 * pauses)
})

const ended = async (jobId: string) => (await client.get(`/api/v1/scrape/${jobId}`)).body.data.completedAt !== null
