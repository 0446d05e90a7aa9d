import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { ledgerOf, november } from '../credits/testing.ts'
import { bootstrapFirstAccount } from './accounts.ts'
import { loadAdminKey } from './admin-key.ts'
import { apiKeyPattern, generateApiKey, hashKey } from './api-key.ts'
import { openBrowser } from './sessions/testing.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const admin = () => service.clientFor(service.adminKey)
const bootstrap = (apiKey?: string) => bootstrapFirstAccount(service.database, { apiKey, tier: 'pro', now: new Date() })
const empty = async () => {
  await service.database.deleteFrom('api_keys').execute()
  await service.database.deleteFrom('credit_balances').execute()
  await service.database.deleteFrom('accounts').execute()
}

describe('an API key', () => {
  it('has the form that the documents promise, and is never the same twice', () => {
    const keys = Array.from({ length: 1_000 }, generateApiKey)
    expect(new Set(keys).size).toBe(1_000)
    for (const key of keys) expect(key).toMatch(apiKeyPattern)
  })

  it('is nowhere in the database, only its hash', async () => {
    const { apiKey } = await service.createAccount()
    const rows = await service.database.selectFrom('api_keys').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(apiKey)
    expect(rows.map((row) => row.hash)).toContain(hashKey(apiKey))
  })

  it('opens its own account until it is revoked, at once and for ever', async () => {
    const { accountId, client } = await service.createAccount('free')
    const { body } = await admin().post(`/api/admin/accounts/${accountId}/keys`, { name: 'second' })
    expect(body.data).toMatchObject({ keyId: expect.any(String), apiKey: expect.stringMatching(apiKeyPattern) })
    const second = service.clientFor(body.data.apiKey)
    expect((await second.search('a')).body.usage.credits.limit).toBe(100)
    expect((await admin().send('DELETE', `/api/admin/keys/${body.data.keyId}`)).status).toBe(200)
    expect((await second.search('a')).status).toBe(401)
    expect((await admin().send('DELETE', `/api/admin/keys/${body.data.keyId}`)).status).toBe(200)
    expect((await client.search('a')).status).toBe(200)
  })
})

describe('an account', () => {
  it('is listed with what it used this month, and when a key or a session of it was last used', async () => {
    const { accountId, client } = await service.createAccount()
    const listed = async () => {
      const { results } = (await admin().get('/api/admin/accounts')).body.data
      return results.find((account: { accountId: string }) => account.accountId === accountId)
    }
    expect(await listed()).toMatchObject({ usedThisMonth: 0, lastSeenAt: null })
    const ledger = ledgerOf(() => service.database)
    await ledger.startCall(accountId, 3, new Date())
    await ledger.endCall(await ledger.startCall(accountId, 4, new Date()), 1, new Date())
    const before = Date.now()
    await client.search('a')
    const used = await listed()
    expect(used.usedThisMonth).toBe(4)
    expect(Date.parse(used.lastSeenAt)).toBeGreaterThanOrEqual(before)
    await service.database.updateTable('api_keys').set({ last_used_at: november }).execute()
    const invited = await admin().post(`/api/admin/accounts/${accountId}/links`, {})
    await openBrowser(() => service.url).signIn({ link: new URL(invited.body.data.url).hash.slice(1) })
    expect(Date.parse((await listed()).lastSeenAt)).toBeGreaterThanOrEqual(before)
  })

  it('is listed, and its plan changes at once', async () => {
    const { accountId, client } = await service.createAccount('free')
    const changed = await admin().send('PATCH', `/api/admin/accounts/${accountId}`, {
      headers: { 'content-type': 'application/json' },
      body: '{"tier":"pro"}',
    })
    expect(changed.body.data).toMatchObject({ accountId, tier: 'pro', paygMonthlyCap: null })
    expect((await client.search('a')).body.usage.credits.limit).toBe(5_000)
    const { body } = await admin().get('/api/admin/accounts')
    expect(body.data.results.map((account: { tier: string }) => account.tier)).toEqual(['max', 'pro'])
  })
})

describe('the first account', () => {
  it('is made once, with a key that is shown once', async () => {
    await empty()
    const shown = await Promise.all([bootstrap(), bootstrap(), bootstrap()])
    const keys = shown.filter((key) => key !== null)
    expect(keys).toHaveLength(1)
    expect((await service.clientFor(keys[0] ?? '').search('a')).body.usage.credits.limit).toBe(5_000)
    expect(await bootstrap()).toBeNull()
  })

  it("takes the operator's key, a changed one beside it, and never revives a revoked one", async () => {
    await empty()
    const [first, second] = [generateApiKey(), generateApiKey()]
    for (const key of [first, first, second]) expect(await bootstrap(key)).toBeNull()
    const keys = await service.database.selectFrom('api_keys').selectAll().orderBy('created_at').execute()
    expect(new Set(keys.map((key) => key.account_id)).size).toBe(1)
    expect(keys).toHaveLength(2)
    const { id } = keys.find((key) => key.hash === hashKey(first)) ?? expect.fail('no key')
    await admin().send('DELETE', `/api/admin/keys/${id}`)
    await bootstrap(first)
    expect((await service.clientFor(first).search('a')).status).toBe(401)
    expect((await service.clientFor(second).search('a')).status).toBe(200)
  })
})

describe('the admin key', () => {
  it('is made once, readable by its owner only, and the same after a restart', () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'wishwell-admin-')), 'new')
    const load = (adminApiKey?: string) => loadAdminKey({ adminApiKey, dataDir, databaseUrl: undefined })
    const made = load()
    expect(statSync(made.location).mode & 0o777).toBe(0o600)
    expect(readFileSync(made.location, 'utf8').trim()).toBe(made.key)
    expect(load()).toEqual(made)
    expect(load('given by the operator')).toEqual({
      key: 'given by the operator',
      location: 'ADMIN_API_KEY',
    })
    writeFileSync(made.location, '\n')
    expect(() => load()).toThrow(/Delete the file/)
    const remote = { adminApiKey: undefined, dataDir, databaseUrl: 'postgres://h/d' }
    expect(() => loadAdminKey(remote)).toThrow('ADMIN_API_KEY: is required with DATABASE_URL')
    rmSync(dataDir, { recursive: true })
  })
})
