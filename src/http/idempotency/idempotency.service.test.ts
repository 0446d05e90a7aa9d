import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../../test/client.ts'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { testClock } from '../rate-limits/testing.ts'
import { purgeExpiredAnswers } from './store.ts'

const clock = testClock()
const hourMs = 3600_000
const job = { topic: 'dark mode', platforms: ['github'], depth: 2 }

let service: TestService
beforeAll(async () => {
  service = await startTestService({ clock, platforms: platformMap(scriptedPlatform('github', numberedPages(2))) })
})
afterEach(async () => {
  // A worker that still writes would meet the emptying of the tables.
  await expect.poll(openTasks).toEqual([])
  await service.reset()
})
afterAll(() => service.stop())

const send = (apiKey: string, path: string, key: string, body: unknown) =>
  service.clientFor(apiKey).send('POST', path, {
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const scrape = (key: string, body: unknown = job, apiKey = service.apiKey) => send(apiKey, '/api/v1/scrape', key, body)
const jobs = () => service.database.selectFrom('scrape_jobs').selectAll().execute()
const openTasks = () =>
  service.database.selectFrom('scrape_tasks').select('id').where('state', 'in', ['pending', 'running']).execute()
const storedRows = () => service.database.selectFrom('idempotency_keys').selectAll().execute()
const isReplay = (answer: Answer) => answer.headers.get('idempotent-replayed') === 'true'

describe('a call with an Idempotency-Key', () => {
  it('has one effect and one answer, byte for byte, when it is repeated', async () => {
    const first = await scrape('key-1')
    expect([first.status, isReplay(first)]).toEqual([200, false])
    await service.client.waitForJob(first.body.data.jobId)
    for (let call = 0; call < 3; call++) {
      const again = await scrape('key-1')
      expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true])
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    }
    expect(await jobs()).toHaveLength(1)
    expect(first.body.usage.credits).toEqual({ used: 2, limit: 15_000, remaining: 14_998 })
  })

  it('has one effect also when it is made 20 times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => scrape('key-1')))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1)
    expect(await jobs()).toHaveLength(1)
  })

  it('is the same call when only the order, the white space or a default differs', async () => {
    const first = await scrape('key-1', { topic: 'dark mode', depth: 1 })
    for (const body of ['{ "depth": 1, "topic": " dark mode " }', { topic: 'dark mode' }]) {
      expect((await scrape('key-1', body)).text).toBe(first.text)
    }
  })

  it('is refused with another body: 422, and no effect', async () => {
    const first = await scrape('key-1')
    const other = await scrape('key-1', { ...job, depth: 3 })
    expect([other.status, other.body.error.code, isReplay(other)]).toEqual([422, 'IDEMPOTENCY_MISMATCH', false])
    expect(await jobs()).toHaveLength(1)
    expect((await scrape('key-1')).text).toBe(first.text)
  })

  it('is identified by its key, its account and its path only', async () => {
    const other = await service.createAccount()
    const { body } = await service
      .clientFor(service.adminKey)
      .post(`/api/admin/accounts/${other.accountId}/keys`, { name: 'second' })
    const first = await scrape('key-1')
    const answers = [await scrape('key-2'), await scrape('key-1', job, other.apiKey)]
    expect(answers.some(isReplay)).toBe(false)
    expect(new Set([first, ...answers].map((answer) => answer.body.data.jobId)).size).toBe(3)
    // Another key of the same account is the same caller.
    expect((await scrape('key-1', job, body.data.apiKey)).text).toBe(answers[1]?.text)
    for (const { accountId } of [other, await service.createAccount()]) {
      const path = `/api/admin/accounts/${accountId}/keys`
      expect(isReplay(await send(service.adminKey, path, 'key-1', { name: 'a' }))).toBe(false)
    }
  })

  it('counts towards the rate limit also when it is a replay', async () => {
    const [first, again] = [await scrape('key-1'), await scrape('key-1')]
    const left = (answer: Answer) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
    expect(left(again)).toBe(left(first) - 1)
  })

  it('is repeated for 24 hours, and is a new one after that', async () => {
    const first = await scrape('key-1')
    clock.ms += 24 * hourMs - 1
    expect((await scrape('key-1')).text).toBe(first.text)
    clock.ms += 1
    const fresh = await scrape('key-1', { ...job, depth: 1 })
    expect([fresh.status, isReplay(fresh)]).toEqual([200, false])
    expect((await scrape('key-1', { ...job, depth: 1 })).text).toBe(fresh.text)
    expect(await jobs()).toHaveLength(2)
  })

  it('is deleted after 24 hours and not before, slice by slice', async () => {
    const { database } = service
    await scrape('key-1')
    const expires_at = new Date(clock.ms + 23 * hourMs)
    const rows = Array.from({ length: 600 }, (_, n) => ({
      id: `old ${n}`,
      fingerprint: '',
      status: 200,
      body: '{}',
      expires_at,
    }))
    await database.insertInto('idempotency_keys').values(rows).execute()
    expect(await purgeExpiredAnswers(database, clock.now())).toBe(false)
    expect(await storedRows()).toHaveLength(601)
    // The clock of the service stays: its own maintenance would delete them, too.
    expect(await purgeExpiredAnswers(database, expires_at)).toBe(true)
    expect(await purgeExpiredAnswers(database, expires_at)).toBe(false)
    expect(await storedRows()).toHaveLength(1)
    clock.ms += 23 * hourMs
    expect(isReplay(await scrape('key-1'))).toBe(true)
    clock.ms += hourMs
    expect(await purgeExpiredAnswers(database, clock.now())).toBe(false)
    expect(await storedRows()).toEqual([])
  })
})

describe('a call that was refused', () => {
  it.each([
    ['a body that does not fit', { topic: '' }, 400],
    ['a body that is no JSON', '{', 400],
    ['an unknown platform', { ...job, platforms: ['myspace'] }, 400],
  ])('for %s stores nothing, so the key may be used again', async (_what, body, status) => {
    expect((await scrape('key-1', body)).status).toBe(status)
    expect(await storedRows()).toEqual([])
    expect((await scrape('key-1')).status).toBe(200)
  })

  it('without credits stores nothing and holds nothing, and is executed when there are some', async () => {
    const { accountId, apiKey } = await service.createAccount('free')
    const dear = { ...job, depth: 40, platforms: ['github', 'hackernews', 'stackexchange'] }
    for (let call = 0; call < 2; call++) {
      const refused = await scrape('key-1', dear, apiKey)
      expect([refused.status, refused.body.error.reason]).toEqual([429, 'credits'])
    }
    expect([await storedRows(), await jobs()]).toEqual([[], []])
    const path = `/api/admin/accounts/${accountId}`
    const headers = { 'content-type': 'application/json' }
    await service.clientFor(service.adminKey).send('PATCH', path, { headers, body: '{"tier":"pro"}' })
    const accepted = await scrape('key-1', dear, apiKey)
    expect([accepted.status, isReplay(accepted)]).toEqual([200, false])
  })

  it('for an unknown account stores nothing', async () => {
    const path = '/api/admin/accounts/00000000-0000-4000-8000-000000000000/keys'
    expect((await send(service.adminKey, path, 'key-1', { name: 'a' })).status).toBe(404)
    expect(await storedRows()).toEqual([])
  })
})

describe('the header', () => {
  it.each([['k'], ['k'.repeat(255)], ['!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~'], ['"quoted"']])('may be %j', async (key) => {
    expect((await scrape(key)).status).toBe(200)
    expect(isReplay(await scrape(key))).toBe(true)
  })

  it.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a letter that is not ASCII', 'clé'],
    ['with a tab', 'a\tb'],
  ])('may not be %s: 400, and no effect', async (_what, key) => {
    const answer = await scrape(key)
    expect([answer.status, answer.body.error.details?.[0].path]).toEqual([400, 'idempotency-key'])
    expect(await jobs()).toEqual([])
  })

  it('is optional, and without it every call has its effect', async () => {
    for (let call = 0; call < 2; call++) expect(isReplay(await service.client.scrape(job))).toBe(false)
    expect([(await jobs()).length, await storedRows()]).toEqual([2, []])
  })
})

describe('an answer that holds an API key', () => {
  const make = (key: string, adminKey = service.adminKey) =>
    send(adminKey, '/api/admin/accounts', key, { name: 'shop', tier: 'free' })

  it('is repeated whole, and cannot be read from the database', async () => {
    const first = await make('key-1')
    const again = await make('key-1')
    expect([again.text, isReplay(again)]).toEqual([first.text, true])
    const { apiKey, accountId } = first.body.data
    expect((await service.clientFor(apiKey).search('a')).status).toBe(200)
    const path = `/api/admin/accounts/${accountId}/keys`
    const second = await send(service.adminKey, path, 'key-1', { name: 'second' })
    expect((await send(service.adminKey, path, 'key-1', { name: 'second' })).text).toBe(second.text)
    const rows = JSON.stringify(await storedRows())
    for (const secret of [apiKey, second.body.data.apiKey, 'key-1', 'shop', accountId])
      expect(rows).not.toContain(secret)
    expect(await service.database.selectFrom('accounts').selectAll().execute()).toHaveLength(2)
    expect(await service.database.selectFrom('api_keys').selectAll().execute()).toHaveLength(3)
  })

  it('is not repeated to another admin key: 409, and no second account', async () => {
    await make('key-1')
    const [row] = await storedRows()
    const last = row?.body?.at(-5) === 'A' ? 'B' : 'A'
    const body = `${row?.body?.slice(0, -5)}${last}${row?.body?.slice(-4)}`
    await service.database.updateTable('idempotency_keys').set({ body }).execute()
    const answer = await make('key-1')
    expect([answer.status, answer.body.error.code, isReplay(answer)]).toEqual([409, 'CONFLICT', false])
    expect(await service.database.selectFrom('accounts').selectAll().execute()).toHaveLength(2)
  })
})
