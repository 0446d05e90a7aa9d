import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import type { Answer } from '../../../test/client.ts'
import { verifyLedger } from '../../credits/verify.ts'
import { sweepCalls } from './calls.ts'
import { prepareLiveService } from './testing.ts'

// Holds (Live calls): a live call is charged exactly when pages were stored for it, whichever statement fails

// Each statement of a live call fails once, after it has run, as when a connection breaks before the answer: a commit that fails so
// has happened. In each case the call pays one credit exactly if pages were stored for it.

/** Every so many statements of a call: in `npm test` one of them of each kind. */
const step = campaignSize('LIVE_FAULT_STEP', { quick: 4, nightly: 1 })

interface Course {
  statements: number
  /** The number of the statement that fails; 0 for none. */
  failAt: number
}
const course = new AsyncLocalStorage<Course>()
let next: Course | null = null
const live = prepareLiveService({
  onStatement: () => {
    const current = course.getStore()
    if (!current) return
    current.statements += 1
    if (current.statements === current.failAt) throw new Error('the connection broke')
  },
})

/** Counts all statements of the next call, but not those of workers. */
const onRequest = () => {
  if (next) course.enterWith(next)
  next = null
}
beforeAll(() => subscribe('http.server.request.start', onRequest))
afterAll(() => unsubscribe('http.server.request.start', onRequest))

const silent = pino({ level: 'silent' })
const ways = {
  expand: (topic: string, headers: Record<string, string>) =>
    live.service.client.send('POST', '/api/v1/requests/search', {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: topic, expand: true, platforms: ['github', 'hackernews'] }),
    }),
  realtime: (topic: string, headers: Record<string, string>) =>
    live.service.client.send(
      'GET',
      `/api/v1/requests?source=realtime&platforms=github,hackernews&topic=${encodeURIComponent(topic)}`,
      { headers },
    ),
}

/** What was delivered and charged for the last call with the topic, once nothing is under way any more. */
async function outcome(topic: string, usedBefore: number) {
  const { database } = live.service
  await live.settle()
  // Maintenance ends the calls that no process ends.
  await sweepCalls(database, silent, new Date(), new Date(Date.now() + 3600_000))
  expect(await verifyLedger(database)).toEqual([])
  expect(await database.selectFrom('live_calls').select('id').execute()).toEqual([])
  const pages = await database
    .selectFrom('scrape_tasks')
    .innerJoin('scrape_jobs', 'scrape_jobs.id', 'job_id')
    .select('pages')
    .where('topic', '=', topic)
    .where('pages', '>', 0)
    .execute()
  return { delivered: pages.length > 0 ? 1 : 0, charged: (await live.used()) - usedBefore }
}

describe.each(['expand', 'realtime'] as const)('a live call (%s) with a failing statement', (way) => {
  const call = (topic: string, headers: Record<string, string>, failAt: number): Promise<Answer> & { made: Course } => {
    const made = { statements: 0, failAt }
    next = made
    return Object.assign(ways[way](topic, headers), { made })
  }

  it('pays exactly if pages were stored for it, and its retry gets the answer without a second charge', {
    timeout: 600_000,
  }, async () => {
    const calm = call('no fault', { 'idempotency-key': 'calm' }, 0)
    expect((await calm).status).toBe(200)
    await live.settle()
    const { statements } = calm.made
    expect(statements).toBeGreaterThan(10)
    const seen = new Set<string>()
    for (let failAt = 1; failAt <= statements; failAt += step) {
      const topic = `wish${failAt}`
      const key = { 'idempotency-key': `key ${failAt}`.replace(' ', '-') }
      const usedBefore = await live.used()
      const first = await call(topic, key, failAt)
      const { delivered, charged } = await outcome(topic, usedBefore)
      expect([failAt, first.status, charged]).toEqual([failAt, expect.any(Number), delivered])
      seen.add(`${first.status} ${charged}`)
      const retry = await ways[way](topic, key)
      expect([failAt, retry.status, retry.body.data?.results.length]).toEqual([failAt, 200, 4])
      expect(retry.body.meta).toMatchObject({ newResultsFound: 4, errors: [] })
      expect([failAt, await outcome(topic, usedBefore)]).toEqual([failAt, { delivered: 1, charged: 1 }])
      const again = await ways[way](topic, key)
      expect([failAt, again.text, again.headers.get('idempotent-replayed')]).toEqual([failAt, retry.text, 'true'])
    }
    // Some fail before a page was stored, some after it.
    expect([...seen]).toEqual(expect.arrayContaining(['500 0', '500 1']))
  })
})
