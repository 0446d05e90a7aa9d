import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../test/client.ts'
import { claim } from '../../http/idempotency/store.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { sweepCalls } from './calls.ts'
import { createGate, pageOf, prepareLiveService } from './testing.ts'

const silent = pino({ level: 'silent' })
const live = prepareLiveService()
const json = { 'content-type': 'application/json' }
const send = (key: string, query = 'dark mode') =>
  live.service.client.send('POST', '/api/v1/requests/search', {
    headers: { ...json, 'idempotency-key': key },
    body: JSON.stringify({ query, expand: true, platforms: ['github', 'hackernews'] }),
  })
const sendList = (key: string, topic = 'dark mode') =>
  live.service.client.send(
    'GET',
    `/api/v1/requests?source=realtime&platforms=github&topic=${encodeURIComponent(topic)}`,
    {
      headers: { 'idempotency-key': key },
    },
  )
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

describe('a live call with an Idempotency-Key', () => {
  it('collects once and pays once, however often it is repeated, also at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('key')))
    answers.push(await send('key'))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1)
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect([live.github.calls.length, await live.used()]).toEqual([1, 1])
  })

  it('does not return requests that were purged since, and is not charged again', async () => {
    const titlesOf = ({ body }: Answer) => body.data.results.map(({ sourceUrl }: RequestRecord) => sourceUrl).sort()
    const calls = [() => send('key'), () => sendList('key')]
    for (const call of calls) expect(titlesOf(await call())).toContain('https://github.test/1')
    const used = await live.used()
    const purge = { url: 'https://github.test/1' }
    const purged = await live.service.clientFor(live.service.adminKey).post('/api/admin/purge', purge)
    expect(purged.body.data.deleted).toBe(1)
    for (const call of calls) {
      const again = await call()
      expect([again.status, isReplay(again)]).toEqual([200, true])
      expect(titlesOf(again)).toContain('https://github.test/2')
      expect(again.text).not.toContain('https://github.test/1')
    }
    expect(await live.used()).toBe(used)
    await live.service.clientFor(live.service.adminKey).post('/api/admin/suppressions/lift', purge)
  })

  it('is the same call only with the same body or query string', async () => {
    expect([(await send('key')).status, (await send('key', 'another')).status]).toEqual([200, 422])
    expect([(await sendList('key')).status, (await sendList('key', 'another')).status]).toEqual([200, 422])
    const again = await sendList('key')
    expect([again.status, isReplay(again)]).toEqual([200, true])
  })

  it('that is closed as dead costs nothing and frees its key, also when it continues', async () => {
    const { database } = live.service
    const gate = createGate()
    live.scripts.github = async (_call, request) => {
      await gate.passed
      return pageOf('github')(request)
    }
    const first = sendList('key')
    const calls = () => database.selectFrom('live_calls').selectAll().execute()
    await expect.poll(calls, { timeout: 30_000 }).toHaveLength(1)
    // As after a crash: the calls of a process that died are closed.
    const longAfter = new Date(Date.now() + 3600_000)
    expect(await sweepCalls(database, silent, new Date(), longAfter)).toBe(false)
    expect([await live.used(), await calls()]).toEqual([0, []])
    expect(await database.selectFrom('idempotency_keys').selectAll().execute()).toEqual([])
    // The call that was closed as dead continues, and gets no answer that it did not pay for.
    gate.open()
    const answer = await first
    expect([answer.status, answer.body.error.code, await live.used()]).toEqual([503, 'UNAVAILABLE', 0])
    expect(isReplay(await sendList('key'))).toBe(false)
  })

  it.each([
    ['continues', 503],
    ['fails', 500],
  ])('that is closed as dead but %s does not take its key from a later call', async (_how, status) => {
    const { database } = live.service
    const gate = createGate()
    live.beforeExpansion = async () => {
      await gate.passed
      if (status === 500) throw new Error('the expansion failed')
    }
    const first = send('key')
    const claims = () => database.selectFrom('idempotency_keys').selectAll().execute()
    await expect.poll(claims, { timeout: 30_000 }).toHaveLength(1)
    const [claimed] = await claims()
    await sweepCalls(database, silent, new Date(), new Date(Date.now() + 3600_000))
    // Another process claims the key, and still runs when the first call continues.
    await database.transaction().execute((transaction) => claim(transaction, claimed!, new Date()))
    const claimedAgain = await claims()
    gate.open()
    expect((await first).status).toBe(status)
    expect(await claims()).toEqual(claimedAgain)
    expect(await live.used()).toBe(0)
  })

  it('that cannot be closed does not prevent the sweep of the others', async () => {
    const { database } = live.service
    const gate = createGate()
    live.beforeExpansion = () => gate.passed
    const answers = [send('one'), send('two', 'contrast')]
    const calls = () => database.selectFrom('live_calls').selectAll().orderBy('created_at').execute()
    await expect.poll(calls, { timeout: 30_000 }).toHaveLength(2)
    const stuck = (await calls())[0]!.id
    await sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'stuck'; end $$`.execute(
      database,
    )
    await sql`
      create trigger stuck before delete on live_calls for each row when (old.id = ${sql.lit(stuck)})
      execute function refuse()`.execute(database)
    const longAfter = new Date(Date.now() + 3600_000)
    await sweepCalls(database, silent, new Date(), longAfter)
    const left = (await calls()).map(({ id }) => id)
    await sql`drop function refuse cascade`.execute(database)
    gate.open()
    await Promise.all(answers)
    expect(left).toEqual([stuck])
  })
})
