import { once } from 'node:events'
import { expect, it } from 'vitest'
import { campaignSize } from '../campaign-size.ts'
import { killedService } from './killed-service.ts'

// Holds (Credits and limits): a call with an `Idempotency-Key` has one effect and one response

// kill -9 in the midst of a call with an Idempotency-Key: the same call, made again, ends with one job and one charge.

const { client, start, open } = killedService()

const startJob = (topic: string) =>
  client.send('POST', '/api/v1/scrape', {
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
  const opened = await open()
  const jobs = await opened.database.selectFrom('scrape_jobs').select('topic').execute()
  const reservations = await opened.database.selectFrom('credit_reservations').select('job_id').execute()
  await opened.close()
  expect(jobs.map((job) => job.topic).sort()).toEqual(points.map((point) => `killed at statement ${point}`).sort())
  expect(reservations).toHaveLength(points.length)
})
