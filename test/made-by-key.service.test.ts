import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noteEvent } from '../src/accounts/events/events.ts'
import { makerOf } from '../src/accounts/made-by-key.ts'
import { startCommand } from '../src/cli/command-testing.ts'
import { type Receiver, startReceiver } from '../src/notifications/channels/testing.ts'
import { type FakeTracker, startFakeGithub } from '../src/notifications/trackers/testing.ts'
import { movedClock } from '../src/watches/testing.ts'
import type { TestClient } from './client.ts'
import { startTestService, type TestService } from './service.ts'

// Holds (Accounts): what a key made ends when it expires or is revoked with its creations, and it makes nothing more

const clock = movedClock('2026-03-20T12:00:00Z')
let service: TestService
let receiver: Receiver
let github: FakeTracker

beforeAll(async () => {
  receiver = await startReceiver()
  github = await startFakeGithub(clock.now)
  const environment = { ALLOW_PRIVATE_TARGETS: 'true', SECRETS_KEY: `${'A'.repeat(43)}=` }
  service = await startTestService({ clock, environment })
})
afterAll(async () => {
  await service.stop()
  await receiver.close()
  await github.close()
})
beforeEach(async () => {
  clock.set('2026-03-20T12:00:00Z')
  receiver.received.length = 0
  await service.reset()
})

const json = { 'content-type': 'application/json' }
const post = async (client: TestClient, path: string, body: object) => {
  const answer = await client.post(path, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}

/** Makes all that a key can make, and has the watch of another key tell its channel. */
async function makeAll(client: TestClient, watchId: string, terms: object) {
  const { keyId, apiKey } = await post(client, '/api/v1/keys', { name: 'maker', ...terms })
  const maker = service.clientFor(apiKey)
  const child = await post(maker, '/api/v1/keys', { name: 'child', ...terms })
  const feed = await post(maker, '/api/v1/feeds', { kind: 'watch', watchId })
  // They are listed in this order.
  clock.set(new Date(clock.now().getTime() + 1_000))
  const ofChild = await post(service.clientFor(child.apiKey), '/api/v1/feeds', { kind: 'topic', topic: 'dark mode' })
  const channel = await post(maker, '/api/v1/channels', {
    ...{ type: 'webhook', name: 'hook', url: receiver.url, events: ['credits.low'] },
  })
  const watch = await post(maker, '/api/v1/watches', { topic: 'offline maps', monthlyCredits: 10 })
  const tracker = await post(maker, '/api/v1/trackers', {
    ...{ type: 'github', name: 'App', project: 'acme/app', url: github.url, token: 'token' },
  })
  const share = await post(maker, '/api/v1/shares', { view: {} })
  const body = JSON.stringify({ channelIds: [channel.channelId] })
  const changed = await service.client.send('PATCH', `/api/v1/watches/${watchId}`, { headers: json, body })
  expect(changed.status, changed.text).toBe(200)
  const ids = { channelId: channel.channelId, trackerId: tracker.trackerId, watchId: watch.watchId as string }
  return { keyId, maker, child, feed, ofChild, share, ...ids }
}

const statusOf = async (url: string) => (await fetch(url)).status
const read = async (path: string) => (await service.client.get(path)).body.data
const ownWatch = async () =>
  (await post(service.client, '/api/v1/watches', { topic: 'dark mode', monthlyCredits: 10 })).watchId
const low = async () => {
  const account = await service.database.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  const subject = { percent: 80, month: '2026-03', settled: 80, limit: 100, held: 5, paygBalance: 0 }
  await noteEvent(service.database, { accountId: account.id, type: 'credits.low', subject, now: clock.now() })
  await service.deliverEvents()
}

describe('what a key made', () => {
  it('ends when the key expires', async () => {
    const watchId = await ownWatch()
    const expiresAt = '2026-03-20T13:00:00.000Z'
    const made = await makeAll(service.client, watchId, { expiresAt, monthlyCredits: 10 })
    await low()
    expect([receiver.received.length, await statusOf(made.feed.url)]).toEqual([1, 200])
    expect((await read('/api/v1/feeds')).results).toMatchObject([
      { madeBy: made.keyId, expiresAt },
      { madeBy: made.child.keyId, expiresAt },
    ])
    clock.set(expiresAt)
    await low()
    expect(receiver.received).toHaveLength(1)
    expect(await read(`/api/v1/channels/${made.channelId}`)).toMatchObject({
      state: 'disabled',
      disabledReason: 'expired',
    })
    for (const url of [made.feed.url, made.feed.jsonUrl, made.ofChild.url]) expect(await statusOf(url)).toBe(404)
    expect((await service.clientFor(made.child.apiKey).get('/api/v1/usage')).status).toBe(401)
    clock.set('2026-03-21T12:00:00Z')
    await service.runDueWatches()
    expect(await read(`/api/v1/watches/${made.watchId}`)).toMatchObject({ state: 'asking', madeBy: made.keyId })
    // It says why it rests.
    expect((await read('/api/v1/trackers')).results).toMatchObject([
      { error: expect.stringMatching(/^The key that made it has expired/) },
    ])
    await service.runMaintenance()
    expect((await read('/api/v1/feeds')).results).toEqual([])
  })

  it('is the own of who has an expired channel enabled', async () => {
    const made = await makeAll(service.client, await ownWatch(), { expiresAt: '2026-03-20T13:00:00.000Z' })
    clock.set('2026-03-20T14:00:00Z')
    await low()
    const body = JSON.stringify({ state: 'active' })
    const path = `/api/v1/channels/${made.channelId}`
    const { data } = (await service.client.send('PATCH', path, { headers: json, body })).body
    expect(data).toMatchObject({ state: 'active', expiresAt: null })
    await low()
    expect(receiver.received).toHaveLength(1)
  })

  it('is listed, and stays when the key alone is revoked', async () => {
    const watchId = await ownWatch()
    const made = await makeAll(service.client, watchId, {})
    const listed = await read(`/api/v1/keys/${made.keyId}/made`)
    expect(listed).toEqual({
      keys: [{ keyId: made.child.keyId, name: 'child' }],
      feeds: [
        { feedId: made.feed.feedId, name: 'dark mode' },
        { feedId: made.ofChild.feedId, name: 'dark mode' },
      ],
      shares: [{ shareId: made.share.shareId, name: expect.any(String) }],
      channels: [{ channelId: made.channelId, name: 'hook' }],
      watches: [{ watchId: made.watchId, name: 'offline maps' }],
      trackers: [{ trackerId: made.trackerId, name: 'App' }],
    })
    const admin = service.clientFor(service.adminKey)
    expect((await admin.get(`/api/admin/keys/${made.keyId}/made`)).body.data).toEqual(listed)
    // By command: every kind of thing, each with its id.
    const environment = { WISHWELL_URL: service.url, ADMIN_API_KEY: service.adminKey }
    const { stdout } = await startCommand(['admin', 'keys', 'made', made.keyId], environment).finished
    const ids = Object.values(listed as Record<string, Record<string, string>[]>).flatMap((things) =>
      things.map(({ name: _, ...id }) => Object.values(id)[0]!),
    )
    expect(ids.filter((id) => !stdout.includes(id))).toEqual([])
    expect(stdout.match(/^\w+/gm)).toEqual(['key', 'feed', 'feed', 'share', 'channel', 'tracker', 'watch'])
    const revoked = await service.client.send('DELETE', `/api/v1/keys/${made.keyId}`)
    expect(revoked.body.data).toEqual({
      keyId: made.keyId,
      ended: { keys: [], feeds: [], shares: [], channels: [], watches: [], trackers: [] },
    })
    expect(await statusOf(made.feed.url)).toBe(200)
    // It can be ended still.
    const again = await service.client.send('DELETE', `/api/v1/keys/${made.keyId}?withMade=true`)
    expect(again.body.data.ended).toEqual(listed)
    expect(await statusOf(made.feed.url)).toBe(404)
  })

  it('ends when the key is revoked with all that it made, by the account or the operator', async () => {
    const admin = service.clientFor(service.adminKey)
    for (const [client, path] of [
      [service.client, '/api/v1/keys'],
      [admin, '/api/admin/keys'],
    ] as const) {
      const watchId = await ownWatch()
      const made = await makeAll(service.client, watchId, {})
      const { status, body } = await client.send('DELETE', `${path}/${made.keyId}?withMade=true`)
      expect([status, body.data.ended.feeds.length]).toEqual([200, 2])
      await low()
      expect(receiver.received).toEqual([])
      expect((await service.client.get(`/api/v1/channels/${made.channelId}`)).status).toBe(404)
      expect((await read('/api/v1/trackers')).results).toEqual([])
      expect((await read(`/api/v1/watches/${watchId}`)).channelIds).toEqual([])
      for (const url of [made.feed.url, made.ofChild.url]) expect(await statusOf(url)).toBe(404)
      for (const key of [made.maker, service.clientFor(made.child.apiKey)])
        expect((await key.get('/api/v1/usage')).status).toBe(401)
      expect(await read(`/api/v1/watches/${made.watchId}`)).toMatchObject({
        ...{ state: 'asking', askingBecause: 'key_ended', nextRunAt: null },
      })
      expect(await read(`/api/v1/watches/${watchId}`)).toMatchObject({ state: 'active' })
    }
  })

  it('is nothing once the key has ended, also of a call that was checked before', async () => {
    const { accountId, client } = await service.createAccount()
    const { keyId } = await post(client, '/api/v1/keys', { name: 'full' })
    const make = () =>
      service.database
        .transaction()
        .execute((transaction) => makerOf(transaction, { accountId, keyId, now: clock.now() }))
    expect(await make()).toEqual({ made_by: keyId, expires_at: null })
    expect((await client.send('DELETE', `/api/v1/keys/${keyId}`)).status).toBe(200)
    await expect(make()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('is not shown to another account, and keeps the account able to go on', async () => {
    const { client: other } = await service.createAccount()
    const { keyId, apiKey } = await post(service.client, '/api/v1/keys', { name: 'full' })
    for (const path of [`/api/v1/keys/${keyId}/made`, '/api/v1/keys/nonsense/made'])
      expect((await other.get(path)).status).toBe(404)
    expect((await other.send('DELETE', `/api/v1/keys/${keyId}?withMade=true`)).status).toBe(404)
    const { results: keys } = await read('/api/v1/keys')
    const first = keys.find((key: { keyId: string }) => key.keyId !== keyId)
    const client = service.clientFor(apiKey)
    // The key that replaces the one that made it stays.
    expect((await client.send('DELETE', `/api/v1/keys/${first.keyId}?withMade=true`)).status).toBe(200)
    expect((await client.get('/api/v1/usage')).status).toBe(200)
    expect((await client.send('DELETE', `/api/v1/keys/${keyId}?withMade=true`)).status).toBe(409)
  })
})
