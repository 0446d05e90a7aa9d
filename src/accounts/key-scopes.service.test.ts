import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TestClient } from '../../test/client.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { openBrowser } from './sessions/testing.ts'

// Holds (Watches, news and channels): keys never make a stronger key, alone or together

const start = new Date('2026-11-21T12:00:00.000Z')
let now = start
let service: TestService
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } })
})
afterEach(async () => {
  now = start
  await service.reset()
})
afterAll(() => service.stop())

const tomorrow = '2026-11-22T12:00:00.000Z'
const makeKey = async (client: TestClient, terms: Record<string, unknown> = {}) => {
  const answer = await client.post('/api/v1/keys', { name: 'a key', ...terms })
  expect(answer.status, answer.text).toBe(200)
  const { keyId, apiKey } = answer.body.data as { keyId: string; apiKey: string }
  return { keyId, apiKey, client: service.clientFor(apiKey) }
}
const listKeys = async (client: TestClient) => (await client.get('/api/v1/keys')).body.data.results
const revoke = (client: TestClient, keyId: string) => client.send('DELETE', `/api/v1/keys/${keyId}`)
const codeOf = (answer: { body: { error?: { code: string } } }) => answer.body.error?.code

describe('a key with a scope', () => {
  it('is listed with its bounds', async () => {
    const { client } = await service.createAccount()
    now = new Date(start.getTime() + 1_000)
    const { keyId } = await makeKey(client, { scope: 'collect', expiresAt: '2026-11-30', monthlyCredits: 20 })
    expect(await listKeys(client)).toMatchObject([
      { scope: 'manage', expiresAt: null, monthlyCredits: null, usedThisMonth: 0 },
      { keyId, scope: 'collect', expiresAt: '2026-11-30T00:00:00.000Z', monthlyCredits: 20, usedThisMonth: 0 },
    ])
  })

  it.each([
    [{ scope: 'admin' }, 'scope'],
    [{ scope: null }, 'scope'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ expiresAt: '2026-11-21T12:00:00Z' }, 'expiresAt'],
    [{ expiresAt: '2020-01-01' }, 'expiresAt'],
    [{ monthlyCredits: -1 }, 'monthlyCredits'],
    [{ monthlyCredits: 1.5 }, 'monthlyCredits'],
    [{ monthlyCredits: 2 ** 31 }, 'monthlyCredits'],
  ])('is not made with %j', async (terms, path) => {
    const { client } = await service.createAccount()
    const answer = await client.post('/api/v1/keys', { name: 'a key', ...terms })
    expect([answer.status, answer.body.error.details?.[0].path]).toEqual([400, path])
  })

  it('is made by the operator, too, and may not manage keys then', async () => {
    const { accountId } = await service.createAccount()
    const admin = service.clientFor(service.adminKey)
    const body = { name: 'reader', scope: 'read', monthlyCredits: 3 }
    const made = await admin.post(`/api/admin/accounts/${accountId}/keys`, body)
    const reader = service.clientFor(made.body.data.apiKey)
    expect((await reader.search('a')).status).toBe(200)
    for (const answer of [await reader.get('/api/v1/keys'), await reader.post('/api/v1/keys', { name: 'another' })]) {
      expect([answer.status, codeOf(answer)]).toEqual([403, 'SCOPE_EXCEEDED'])
    }
  })
})

describe('a key never makes one that can more', () => {
  it('in time', async () => {
    const { client } = await makeKey((await service.createAccount()).client, { expiresAt: tomorrow })
    for (const terms of [{}, { expiresAt: '2026-11-22T12:00:00.001Z' }]) {
      expect(codeOf(await client.post('/api/v1/keys', { name: 'a key', ...terms }))).toBe('SCOPE_EXCEEDED')
    }
    await makeKey(client, { expiresAt: tomorrow })
  })

  it('in credits, alone or together with others', async () => {
    const { client } = await makeKey((await service.createAccount()).client, { monthlyCredits: 10 })
    for (const terms of [{}, { monthlyCredits: 11 }]) {
      expect(codeOf(await client.post('/api/v1/keys', { name: 'a key', ...terms }))).toBe('SCOPE_EXCEEDED')
    }
    const children = [await makeKey(client, { monthlyCredits: 10 }), await makeKey(client, { monthlyCredits: 10 })]
    const scrape = (child: TestClient, depth: number) =>
      child.scrape({ topic: 'dark mode', platforms: ['github'], depth })
    expect((await scrape(children[0]!.client, 7)).status).toBe(200)
    expect((await scrape(children[1]!.client, 4)).body.error).toMatchObject({ reason: 'key_budget' })
  })

  it('nor one whose makers are too many', async () => {
    let { client } = await service.createAccount()
    for (let depth = 0; depth < 5; depth++) ({ client } = await makeKey(client, { monthlyCredits: 10 }))
    expect(codeOf(await client.post('/api/v1/keys', { name: 'a key', monthlyCredits: 1 }))).toBe('SCOPE_EXCEEDED')
  })
})

describe('a key that has expired', () => {
  it('gets the answer of an unknown key, and is listed last', async () => {
    const { client } = await service.createAccount()
    const { client: expiring, keyId } = await makeKey(client, { expiresAt: tomorrow })
    await makeKey(client, { scope: 'read' })
    now = new Date(Date.parse(tomorrow) - 1)
    expect((await expiring.search('a')).status).toBe(200)
    now = new Date(tomorrow)
    const answer = await expiring.search('a')
    const unknown = await service.clientFor('ww_live_00000000000000000000000000000000').search('a')
    expect([answer.status, answer.body]).toEqual([401, unknown.body])
    expect((await listKeys(client)).at(-1)).toMatchObject({ keyId, expiresAt: tomorrow, revokedAt: null })
  })

  it('ends the sessions that it opened', async () => {
    const { apiKey } = await makeKey((await service.createAccount()).client, { expiresAt: tomorrow })
    const browser = openBrowser(() => service.url)
    expect((await browser.signIn({ apiKey })).status).toBe(200)
    expect((await browser.call('GET', '/api/v1/usage')).status).toBe(200)
    now = new Date(tomorrow)
    expect((await browser.call('GET', '/api/v1/usage')).status).toBe(401)
    expect((await browser.signIn({ apiKey })).status).toBe(401)
  })

  it('does not count as active', async () => {
    const { client, apiKey } = await service.createAccount()
    const [first] = await listKeys(client)
    await makeKey(client, { expiresAt: tomorrow })
    now = new Date(tomorrow)
    const refused = await revoke(service.clientFor(apiKey), first.keyId)
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('last active key')])
  })
})

it('a session has the scope of the key that opened it, and pays by its budget', async () => {
  const { client } = await service.createAccount()
  const reader = openBrowser(() => service.url)
  await reader.signIn({ apiKey: (await makeKey(client, { scope: 'read' })).apiKey })
  const body = { topic: 'dark mode', platforms: ['github'], depth: 4 }
  expect(codeOf(await reader.call('POST', '/api/v1/scrape', { body }))).toBe('SCOPE_EXCEEDED')
  const collector = openBrowser(() => service.url)
  await collector.signIn({ apiKey: (await makeKey(client, { scope: 'collect', monthlyCredits: 3 })).apiKey })
  const refused = await collector.call('POST', '/api/v1/scrape', { body })
  expect(refused.body.error).toMatchObject({ reason: 'key_budget' })
  expect(codeOf(await collector.call('GET', '/api/v1/keys'))).toBe('SCOPE_EXCEEDED')
})

it('live calls pay by the budget of their key', async () => {
  const { client } = await makeKey((await service.createAccount()).client, { monthlyCredits: 0 })
  const expanded = await client.post('/api/v1/requests/search', { query: 'dark mode', expand: true })
  const listed = await client.get('/api/v1/requests?source=realtime&topic=dark%20mode')
  for (const answer of [expanded, listed]) {
    expect([answer.status, answer.body.error.reason]).toEqual([429, 'key_budget'])
  }
})

describe('the last key that may do everything for ever', () => {
  it('is not revoked by the account; others are', async () => {
    const { client } = await service.createAccount()
    const [first] = await listKeys(client)
    const bounded = [
      await makeKey(client, { scope: 'collect' }),
      await makeKey(client, { expiresAt: tomorrow }),
      await makeKey(client, { monthlyCredits: 1_000 }),
    ]
    const refused = await revoke(client, first.keyId)
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('scope "manage"')])
    for (const { keyId } of bounded) expect((await revoke(client, keyId)).status).toBe(200)
    const other = await makeKey(client)
    expect((await revoke(client, first.keyId)).status).toBe(200)
    expect((await revoke(other.client, other.keyId)).status).toBe(409)
  })
})
