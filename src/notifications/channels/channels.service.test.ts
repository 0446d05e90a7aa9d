import { sql } from 'kysely'
import { Webhook } from 'svix'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { noteEvent } from '../../accounts/events/events.ts'
import { endedRun, makeWatch } from '../../watches/news/testing.ts'
import { hanging, type Receiver, startReceiver, status } from './testing.ts'

// Holds (Watches, news and channels): an event is delivered at least once, with one id, however often processes are killed

// Takes seconds: a change of settings restarts the service and its database.

let service: TestService
let receiver: Receiver
let accountId: string

beforeAll(async () => {
  service = await startTestService({
    environment: { ALLOW_PRIVATE_TARGETS: 'true', SECRETS_KEY: `${'A'.repeat(43)}=` },
  })
})
beforeEach(async () => {
  receiver = await startReceiver()
  const account = await service.database.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  accountId = account.id
})
afterEach(async () => {
  await receiver.close()
  await service.reset()
})
afterAll(() => service.stop())

const add = async (body: object, client: TestClient = service.client) => {
  const answer = await client.post('/api/v1/channels', { type: 'webhook', name: 'hook', url: receiver.url, ...body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data as { channelId: string; secret: string; state: string }
}
const read = async (channelId: string) => (await service.client.get(`/api/v1/channels/${channelId}`)).body.data
const log = async (channelId: string) =>
  (await service.client.get(`/api/v1/channels/${channelId}/deliveries`)).body.data.results
const json = { 'content-type': 'application/json' }
const patch = (channelId: string, body: object) =>
  service.client.send('PATCH', `/api/v1/channels/${channelId}`, { headers: json, body: JSON.stringify(body) })
const low = (percent = 80) =>
  noteEvent(service.database, {
    accountId,
    type: 'credits.low',
    subject: { percent, month: '2026-11', settled: 80, limit: 100, held: 5, paygBalance: 0 },
    now: new Date(),
  })
/** Has every wait be over, and every claim. */
const passTime = async () => {
  await sql`update channel_deliveries set due_at = now() - interval '1 second' where due_at is not null`.execute(
    service.database,
  )
  await sql`update channels set rests_until = null, claimed_until = case when claimed_until is null then null else now() - interval '1 second' end,
    due_at = case when due_at is null then null else now() - interval '1 second' end`.execute(service.database)
}

describe('a webhook', () => {
  it('gets an event with a signature that the independent package verifies', async () => {
    const { channelId, secret, state } = await add({ events: ['credits.low'] })
    expect([secret.startsWith('whsec_'), state]).toEqual([true, 'active'])
    const eventId = await low()
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(1)
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]]
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(verified).toMatchObject({
      type: 'credits.low',
      timestamp: expect.any(String),
      data: { percent: 80, held: 5 },
    })
    expect(headers['webhook-id']).toBe(eventId)
    expect(() => new Webhook(secret).verify(body.replace('80', '81'), headers as Record<string, string>)).toThrow()
    expect(await log(channelId)).toMatchObject([
      { eventId, messageId: eventId, state: 'delivered', attempts: 1, status: 200, error: null, dueAt: null },
    ])
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(1)
  })

  it('gets only what it subscribes to, and only of its account', async () => {
    await add({ events: ['scrape.failed'] })
    const other = await service.createAccount()
    await add({ events: ['credits.low'], url: `${receiver.url}/other` }, other.client)
    await low()
    await service.deliverEvents()
    expect(receiver.received).toEqual([])
  })

  it('is never shown again with its address or its secret', async () => {
    const { channelId, secret } = await add({ url: `${receiver.url}/hooks/very-secret-path`, events: ['credits.low'] })
    await low()
    await service.deliverEvents()
    const answers = [
      await service.client.get('/api/v1/channels'),
      await service.client.get(`/api/v1/channels/${channelId}`),
    ]
    for (const { text } of answers) for (const hidden of [secret, 'very-secret']) expect(text).not.toContain(hidden)
    const { rows } = await sql<{ text: string }>`select channels::text as text from channels`.execute(service.database)
    expect(rows[0]!.text).not.toContain('very-secret')
    expect((await read(channelId)).target).toMatch(/^127\.0\.0\.1:\d+\/…path$/)
  })
})

describe('the routes', () => {
  it.each([
    ['an unknown type', { type: 'fax' }, 400],
    ['no address', { url: undefined }, 400],
    ['no web address', { url: 'ftp://example.org' }, 400],
    ['a name and a password', { url: 'https://a:b@example.org' }, 400],
    ['a port of another service', { url: 'https://example.org:25' }, 400],
    ['a field of another type', { topic: 'x' }, 400],
    ['an unknown field', { colour: 'red' }, 400],
    ['an unknown event', { events: ['moon.full'] }, 400],
    ['a subscription to tests', { events: ['channel.test'] }, 400],
    ['an unknown time zone', { timezone: 'Mars/Base' }, 400],
    ['an hour that is none', { hour: 24 }, 400],
    ['a topic of ntfy that is none', { type: 'ntfy', url: undefined, topic: 'a/b' }, 400],
    ['a tag that is none', { type: 'apprise', url: undefined, tag: '../all' }, 409],
    ['what the operator has not configured', { type: 'apprise', url: undefined, tag: 'team' }, 409],
  ])('refuse %s', async (_what, body, code) => {
    const answer = await service.client.post('/api/v1/channels', {
      type: 'webhook',
      name: 'hook',
      url: receiver.url,
      ...body,
    })
    expect([answer.status, answer.body.error.code]).toEqual([code, code === 400 ? 'INVALID_REQUEST' : 'CONFLICT'])
    expect(answer.text).not.toContain('a:b')
  })

  it.each([
    ['webhook', { url: 'hooks.example.org/s3cret' }, 'url: must be an https address, which begins with https://.'],
    ['webhook', { url: 'ftp://hooks.example.org/s3cret' }, 'url: must be an https address, not ftp:.'],
    ['ntfy', { topic: 's3cret/' }, 'topic: must be letters, digits, - and _, at most 64.'],
    [
      'ntfy',
      { topic: 'ideas', token: 's3cret s3cret' },
      'token: must be ASCII without spaces, at most 200 characters.',
    ],
    ['ntfy', { topic: 's3cret', tokne: 's3cret' }, 'tokne: unknown field. Did you mean token?'],
  ])('say in a sentence what is wrong with a field of %s, and no secret: %j', async (type, fields, message) => {
    const { body } = await service.client.post('/api/v1/channels', { type, name: 'hook', ...fields })
    expect(body.error.message).toBe(message)
  })

  it('say which types can be made here', async () => {
    const { types } = (await service.client.get('/api/v1/channels')).body.data
    const reasons = new Map(
      types.map((one: { type: string; unavailable: string | null }) => [one.type, one.unavailable]),
    )
    expect([...reasons.keys()].toSorted()).toEqual(['apprise', 'discord', 'email', 'ntfy', 'slack', 'webhook'])
    expect([reasons.get('webhook'), reasons.get('apprise')]).toEqual([null, expect.stringContaining('APPRISE_URL')])
  })

  it('make at most 20 channels, also of calls at the same time', async () => {
    const call = () => service.client.post('/api/v1/channels', { type: 'webhook', name: 'hook', url: receiver.url })
    const answers = await Promise.all(Array.from({ length: 23 }, call))
    expect(answers.filter(({ status: code }) => code === 409)).toHaveLength(3)
    expect((await service.client.get('/api/v1/channels')).body.data.results).toHaveLength(20)
  })

  it('make one channel of a repeated call, with the same secret', async () => {
    const call = () =>
      service.client.send('POST', '/api/v1/channels', {
        headers: { ...json, 'idempotency-key': 'once' },
        body: JSON.stringify({ type: 'webhook', name: 'hook', url: receiver.url }),
      })
    const [first, second] = [await call(), await call()]
    expect(second.body).toEqual(first.body)
    expect((await service.client.get('/api/v1/channels')).body.data.results).toHaveLength(1)
  })

  it('answer a repeated call as the first one, though its address would be refused now', async () => {
    const call = () =>
      service.client.send('POST', '/api/v1/channels', {
        headers: { ...json, 'idempotency-key': 'once' },
        body: JSON.stringify({ type: 'webhook', name: 'hook', url: receiver.url }),
      })
    const first = await call()
    await service.restart({ ALLOW_PRIVATE_TARGETS: 'false' })
    try {
      expect((await call()).body).toEqual(first.body)
      const fresh = await service.client.post('/api/v1/channels', { type: 'webhook', name: 'hook', url: receiver.url })
      expect(fresh.status).toBe(400)
    } finally {
      await service.restart()
    }
  })

  it("hide another account's channel", async () => {
    const { channelId } = await add({})
    const { client } = await service.createAccount()
    const path = `/api/v1/channels/${channelId}`
    const calls = [
      client.get(path),
      client.send('PATCH', path, { headers: json, body: '{"name":"x"}' }),
      client.send('DELETE', path),
      client.post(`${path}/test`, {}),
      client.send('PATCH', path, { headers: json, body: '{"state":"active"}' }),
      client.get(`${path}/deliveries`),
      client.post(`${path}/deliveries/${channelId}/replay`, {}),
      service.client.get('/api/v1/channels/nonsense'),
      service.client.post(`${path}/deliveries/${channelId}/replay`, {}),
    ]
    for (const answer of await Promise.all(calls)) expect(answer.status, answer.text).toBe(404)
    expect((await read(channelId)).name).toBe('hook')
  })

  it('need a key that may manage', async () => {
    const { body } = await service.client.post('/api/v1/keys', { name: 'reader', scope: 'read' })
    if (body.data === undefined) return
    const answer = await service.clientFor(body.data.apiKey).get('/api/v1/channels')
    expect([answer.status, answer.body.error.code]).toEqual([403, 'SCOPE_EXCEEDED'])
  })

  it('change a channel', async () => {
    const { channelId } = await add({})
    const { body } = await patch(channelId, { name: 'new', events: ['credits.low'], cadence: 'daily', hour: 7 })
    expect(body.data).toMatchObject({
      name: 'new',
      events: ['credits.low'],
      cadence: 'daily',
      hour: 7,
      timezone: 'UTC',
    })
    expect((await patch(channelId, { url: 'https://example.org' })).status).toBe(400)
    expect((await patch(channelId, {})).status).toBe(400)
  })

  it('test a channel at once, and say what came of it', async () => {
    const { channelId, secret } = await add({})
    const test = () => service.client.post(`/api/v1/channels/${channelId}/test`, {})
    expect((await test()).body.data).toMatchObject({ delivered: true, status: 200, error: null })
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]]
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'channel.test' })
    receiver.answer(status(500))
    expect((await test()).body.data).toMatchObject({
      delivered: false,
      status: 500,
      error: 'The receiver answered 500.',
    })
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(2)
    expect((await log(channelId)).map(({ state }: { state: string }) => state)).toEqual(['failed', 'delivered'])
    expect((await read(channelId)).state).toBe('active')
  })

  it('page through the log', async () => {
    const { channelId } = await add({ events: ['credits.low'] })
    for (const percent of [80, 95, 100]) await low(percent)
    await service.deliverEvents()
    const path = `/api/v1/channels/${channelId}/deliveries?limit=2`
    const first = (await service.client.get(path)).body.data
    const second = (await service.client.get(`${path}&cursor=${first.cursor}`)).body.data
    expect([first.results.length, first.hasMore, second.results.length, second.cursor]).toEqual([2, true, 1, null])
    const ids = [...first.results, ...second.results].map(({ deliveryId }) => deliveryId)
    expect(new Set(ids).size).toBe(3)
    expect((await service.client.get(`${path}&cursor=nonsense`)).status).toBe(400)
  })

  it('replay an ended delivery with its id', async () => {
    const { channelId } = await add({ events: ['credits.low'] })
    const eventId = await low()
    await service.deliverEvents()
    const [{ deliveryId }] = await log(channelId)
    const replay = () => service.client.post(`/api/v1/channels/${channelId}/deliveries/${deliveryId}/replay`, {})
    expect((await replay()).status).toBe(200)
    expect((await replay()).status).toBe(409)
    await service.deliverEvents()
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId])
  })

  it('delete a channel, which watches do not name any more', async () => {
    const { channelId } = await add({ events: ['credits.low'] })
    const kept = await add({})
    await sql`
      insert into watches (account_id, name, topic, platforms, depth, schedule, timezone, monthly_credits, channels, created_at, last_looked_at)
      values (${accountId}, 'w', 't', '{github}', 1, 'daily', 'UTC', 10, array[${channelId}, ${kept.channelId}]::uuid[], now(), now())`.execute(
      service.database,
    )
    await low()
    expect((await service.client.send('DELETE', `/api/v1/channels/${channelId}`)).status).toBe(200)
    await service.deliverEvents()
    expect(receiver.received).toEqual([])
    const { rows } = await sql<{ channels: string[] }>`select channels from watches`.execute(service.database)
    expect(rows).toEqual([{ channels: [kept.channelId] }])
  })
})

describe('a deleted account', () => {
  it('has no channels any more, and nothing is sent', async () => {
    const { accountId: otherId, client } = await service.createAccount()
    await add({ events: ['credits.low'] }, client)
    await noteEvent(service.database, {
      accountId: otherId,
      type: 'credits.low',
      subject: { percent: 80 },
      now: new Date(),
    })
    const admin = service.clientFor(service.adminKey)
    expect((await admin.send('DELETE', `/api/admin/accounts/${otherId}`)).status).toBe(200)
    await service.deliverEvents()
    expect(receiver.received).toEqual([])
    expect(await service.database.selectFrom('channels').select('id').execute()).toEqual([])
  })
})

describe('a receiver that', () => {
  const attempts = async (channelId: string) => (await log(channelId))[0]

  it.each([301, 302, 307, 400, 401, 404, 500, 502])('answers %i fails, and is tried again', async (code) => {
    const elsewhere = await startReceiver()
    receiver.answer(status(code, { location: elsewhere.url }))
    const { channelId } = await add({ events: ['credits.low'] })
    const eventId = await low()
    await service.deliverEvents()
    const failed = await attempts(channelId)
    expect(failed).toMatchObject({ state: 'pending', attempts: 1, status: code })
    const wait = Date.parse(failed.dueAt) - Date.parse(failed.lastAttemptAt)
    expect(wait).toBeGreaterThanOrEqual(5_000)
    expect(wait).toBeLessThan(6_000)
    receiver.answer(status(200))
    await passTime()
    await service.deliverEvents()
    expect(await attempts(channelId)).toMatchObject({ state: 'delivered', attempts: 2, status: 200 })
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId])
    expect(elsewhere.received).toEqual([])
    await elsewhere.close()
  })

  it('answers 410 gets nothing more: the channel is disabled, and the others are told', async () => {
    const others = await startReceiver()
    const { channelId } = await add({ events: ['credits.low'], name: 'gone one' })
    const { channelId: other } = await add({ url: others.url })
    receiver.answer(status(410))
    await low()
    await low(95)
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(1)
    expect(await read(channelId)).toMatchObject({ state: 'disabled', disabledReason: 'gone', pending: 0 })
    expect((await log(channelId)).map(({ state }: { state: string }) => state)).toEqual(['failed', 'failed'])
    expect(others.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'channel.disabled', data: { channelId, name: 'gone one', reason: 'gone' } },
    ])
    expect((await log(other))[0].type).toBe('channel.disabled')
    receiver.answer(status(200))
    expect((await patch(channelId, { state: 'active' })).body.data).toMatchObject({
      state: 'active',
      disabledReason: null,
    })
    await low(100)
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(2)
    await others.close()
  })

  it.each([429, 503])('answers %i with Retry-After is left alone for that long', async (code) => {
    receiver.answer(status(code, { 'retry-after': '120' }))
    const { channelId } = await add({ events: ['credits.low'] })
    await low()
    await low(95)
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(1)
    const [, first] = await log(channelId)
    const tried = [first, (await log(channelId))[0]].find(({ attempts: count }) => count === 1)
    expect(Date.parse(tried.dueAt) - Date.parse(tried.lastAttemptAt)).toBe(120_000)
    const { due_at } = await service.database.selectFrom('channels').select('due_at').executeTakeFirstOrThrow()
    expect(due_at!.getTime() - Date.parse(tried.lastAttemptAt)).toBe(120_000)
  })

  it('sends its body slowly or without end has got it', async () => {
    receiver.answer((response) => {
      response.writeHead(200)
      response.write('x'.repeat(100_000))
    })
    const { channelId } = await add({ events: ['credits.low'] })
    await low()
    await service.deliverEvents()
    expect(await attempts(channelId)).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  it('refuses the connection fails', async () => {
    const { channelId } = await add({ events: ['credits.low'] })
    await receiver.close()
    await low()
    await service.deliverEvents()
    expect(await attempts(channelId)).toMatchObject({
      state: 'pending',
      attempts: 1,
      status: null,
      error: 'The receiver refused the connection.',
    })
  })

  it('hangs delays no other channel, and is tried again', async () => {
    receiver.answer(hanging)
    const fine = await startReceiver()
    const slow = await add({ events: ['credits.low'] })
    await add({ events: ['credits.low'], url: fine.url })
    for (const percent of [80, 95, 100]) await low(percent)
    const delivering = service.deliverEvents()
    await expect.poll(() => fine.received.length).toBe(3)
    expect(receiver.received).toHaveLength(1)
    receiver.hangUp()
    await delivering
    const tried = (await log(slow.channelId)).filter(({ attempts: count }: { attempts: number }) => count > 0)
    expect(tried).toMatchObject([{ state: 'pending', error: 'The connection to the receiver broke.' }])
    await fine.close()
  })

  it('fails for days is disabled after eight attempts at least', async () => {
    receiver.answer(status(500))
    const { channelId } = await add({ events: ['credits.low'] })
    await low()
    for (let count = 1; count <= 8; count++) {
      await passTime()
      await service.deliverEvents()
      expect(receiver.received).toHaveLength(count)
    }
    expect(await attempts(channelId)).toMatchObject({ state: 'failed', attempts: 8, dueAt: null })
    expect((await read(channelId)).state).toBe('active')
    await sql`update channels set failing_since = now() - interval '5 days 1 minute', rests_until = null`.execute(
      service.database,
    )
    await low(95)
    await service.deliverEvents()
    expect(await read(channelId)).toMatchObject({ state: 'disabled', disabledReason: 'failing' })
  })
})

describe('a digest', () => {
  it('has all that came until its hour in one message, with an id that stays', async () => {
    const { channelId, secret } = await add({
      events: ['credits.low'],
      cadence: 'daily',
      timezone: 'Europe/Berlin',
      hour: 8,
    })
    await low(80)
    await low(95)
    await service.deliverEvents()
    expect(receiver.received).toEqual([])
    const [{ dueAt }] = await log(channelId)
    expect(new Date(dueAt).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })).toBe('08:00:00')
    receiver.answer(status(500))
    await passTime()
    await service.deliverEvents()
    await low(100)
    await passTime()
    receiver.answer(status(200))
    await service.deliverEvents()
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
    const { headers, body } = receiver.received[1]!
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>) as {
      data: { events: object[] }
    }
    expect(verified).toMatchObject({ type: 'digest' })
    expect(verified.data.events).toMatchObject([{ data: { percent: 80 } }, { data: { percent: 95 } }])
    expect((await log(channelId)).map(({ state }: { state: string }) => state)).toEqual([
      'pending',
      'delivered',
      'delivered',
    ])
  })

  it('that becomes immediate sends what waited', async () => {
    const { channelId } = await add({ events: ['credits.low'], cadence: 'weekly' })
    await low()
    await service.deliverEvents()
    expect(receiver.received).toEqual([])
    await patch(channelId, { cadence: 'now' })
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a process that dies', () => {
  it('between the claim and the confirmation: it is sent again, with the same id', async () => {
    const { channelId } = await add({ events: ['credits.low'] })
    const eventId = await low()
    await service.deliverEvents()
    // What a killed process leaves: the receiver has it, and nothing of that is stored.
    await sql`update channel_deliveries set state = 'pending', due_at = now(), ended_at = null, attempts = 0`.execute(
      service.database,
    )
    await sql`update channels set due_at = now(), claimed_by = gen_random_uuid(), claimed_until = now() + interval '1 minute'`.execute(
      service.database,
    )
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(1)
    await passTime()
    await service.deliverEvents()
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId])
    expect((await log(channelId))[0]).toMatchObject({ state: 'delivered' })
  })
})

describe('events of a watch', () => {
  it('go to the channels that it names, whatever they subscribe to', async () => {
    const named = await startReceiver()
    const { channelId } = await add({ url: named.url })
    await add({ events: ['watch.asks'] })
    const unknown = '00000000-0000-4000-8000-000000000000'
    const { rows } = await sql<{ id: string }>`
      insert into watches (account_id, name, topic, platforms, depth, schedule, timezone, monthly_credits, channels, state, created_at, last_looked_at)
      values (${accountId}, 'Editors', 't', '{github}', 1, 'daily', 'UTC', 10, array[${channelId}, ${unknown}]::uuid[], 'asking', now(), now())
      returning id`.execute(service.database)
    const watchId = rows[0]!.id
    const ask = () =>
      noteEvent(service.database, { accountId, type: 'watch.asks', subject: { watchId }, watchId, now: new Date() })
    await ask()
    await service.deliverEvents()
    expect(receiver.received).toEqual([])
    expect(named.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'watch.asks', data: { watchId, watchName: 'Editors', reason: null } },
    ])
    // It goes on meanwhile: nothing is left to ask.
    await ask()
    await sql`update watches set state = 'active'`.execute(service.database)
    await service.deliverEvents()
    expect(named.received).toHaveLength(1)
    expect((await log(channelId))[0]).toMatchObject({ state: 'nothing_left', attempts: 0 })
    await named.close()
  })
})

describe('events of a watch that names no channel', () => {
  const tell = async (type: 'watch.asks' | 'watch.skipped_no_credits' | 'watch.news') => {
    const { rows } = await sql<{ id: string }>`
      insert into watches (account_id, name, topic, platforms, depth, schedule, timezone, monthly_credits, channels, state, created_at, last_looked_at)
      values (${accountId}, 'Editors', 't', '{github}', 1, 'daily', 'UTC', 10, '{}', 'asking', now(), now())
      returning id`.execute(service.database)
    const watchId = rows[0]!.id
    await noteEvent(service.database, { accountId, type, subject: { watchId }, watchId, now: new Date() })
  }

  it.each(['watch.asks', 'watch.skipped_no_credits'] as const)('go to those that subscribe: %s', async (type) => {
    const { channelId } = await add({ events: [type] })
    await add({ events: ['credits.low'] })
    await add({ events: [type] }, (await service.createAccount()).client)
    await tell(type)
    await service.deliverEvents()
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([type])
    expect(await log(channelId)).toMatchObject([{ type, state: 'delivered' }])
  })

  it('but news go to no channel, and none subscribes to them', async () => {
    const { channelId } = await add({ events: [] })
    await sql`update channels set events = '{watch.news}'`.execute(service.database)
    await tell('watch.news')
    await service.deliverEvents()
    expect(await log(channelId)).toEqual([])
    expect((await patch(channelId, { events: ['watch.news'] })).status).toBe(400)
  })
})

describe('news of a watch', () => {
  it('are told without the kinds that the channel mutes, and not at all where nothing else is new', async () => {
    const all = await startReceiver()
    const { channelId } = await add({ mutedNews: ['new', 'rising'] })
    const other = await add({ url: all.url })
    expect((await patch(other.channelId, { mutedNews: ['votes'] })).status).toBe(400)
    const watch = await makeWatch(service.database, { accountId })
    const channelIds = [channelId, other.channelId]
    const body = JSON.stringify({ channelIds, reportsQuiet: true })
    const path = `/api/v1/watches/${watch.watchId}`
    expect((await service.client.send('PATCH', path, { headers: json, body })).body.data.mutedNews).toEqual([])
    const run = async (votes: Record<string, number>) => {
      const requests = Object.entries(votes).map(([id, count]) => foundRequest(id, { votes: count }))
      await endedRun(service.database, watch, { requests, now: new Date() })
      await service.reportNews()
      await service.deliverEvents()
    }
    const heard = (from: Receiver) => from.received.map((one) => JSON.parse(one.body).data.totals)
    await run({ a: 1 })
    await run({ a: 4, b: 1 })
    expect(heard(all)).toMatchObject([{ newWishes: 1 }, { newWishes: 1, grown: 1 }])
    expect(heard(receiver)).toMatchObject([{ newWishes: 0, grown: 1 }])
    expect((await log(channelId)).map(({ state }: { state: string }) => state)).toEqual(['delivered', 'nothing_left'])
    expect((await patch(channelId, { mutedNews: [] })).body.data).toMatchObject({ mutedNews: [], events: [] })
    await run({ a: 4, b: 1, c: 1 })
    expect(heard(receiver)).toMatchObject([{ grown: 1 }, { newWishes: 1 }])
    await all.close()
  })
})

describe('the key of secrets', () => {
  it('is rotated: what the old one sealed is sealed again', async () => {
    const { channelId } = await add({ events: ['credits.low'] })
    const before = await service.database.selectFrom('channels').select('config').executeTakeFirstOrThrow()
    await service.runMaintenance()
    expect(await service.database.selectFrom('channels').select('config').executeTakeFirstOrThrow()).toEqual(before)
    expect((await read(channelId)).state).toBe('active')
  })

  it('that does not open what it sealed disables the channel with a reason, and nothing crashes', async () => {
    const { channelId } = await add({ events: ['credits.low'] })
    await sql`update channels set config = left(config, 16) || repeat('A', 80)`.execute(service.database)
    await low()
    await service.deliverEvents()
    expect(await read(channelId)).toMatchObject({ state: 'disabled', disabledReason: 'unreadable' })
    expect((await patch(channelId, { state: 'active' })).status).toBe(409)
    expect((await service.client.post(`/api/v1/channels/${channelId}/test`, {})).status).toBe(409)
    await service.runMaintenance()
  })

  it('that this process does not have disables nothing: deliveries wait', async () => {
    const { channelId } = await add({ events: ['credits.low'] })
    const { config } = await service.database.selectFrom('channels').select('config').executeTakeFirstOrThrow()
    await sql`update channels set config = 's1.0123456789ab.AAAA'`.execute(service.database)
    await low()
    await service.deliverEvents()
    await service.runMaintenance()
    expect(await read(channelId)).toMatchObject({ state: 'active', failingSince: null, waitsForKey: true })
    expect(await log(channelId)).toMatchObject([
      { state: 'pending', attempts: 0, error: 'The key of its secret is missing.' },
    ])
    expect((await service.client.post(`/api/v1/channels/${channelId}/test`, {})).status).toBe(409)
    await service.database.updateTable('channels').set({ config }).execute()
    expect((await service.client.get('/api/v1/channels')).body.data.results).toMatchObject([{ waitsForKey: false }])
    await passTime()
    await service.deliverEvents()
    expect(await log(channelId)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })
})

it('old events are deleted with their log', async () => {
  const { channelId } = await add({ events: ['credits.low'] })
  await low()
  await service.deliverEvents()
  await sql`update events set created_at = now() - interval '31 days'`.execute(service.database)
  await service.runMaintenance()
  expect(await log(channelId)).toEqual([])
})
