import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { maxActiveKeys } from './account-keys.ts'
import { apiKeyPattern, generateApiKey } from './api-key.ts'
import { addKey } from './keys.ts'

// Holds (HTTP and secrets): an account never revokes its last key, even with simultaneous calls

let now = new Date('2026-11-21T12:00:00.000Z')
let service: TestService
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } })
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const later = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}

interface ListedKey {
  keyId: string
  name: string
  hint: string
  revokedAt: string | null
  lastUsedAt: string | null
}

type Client = TestService['client']
const listKeys = async (client: Client, cursor = ''): Promise<ListedKey[]> => {
  const page = (await client.get(`/api/v1/keys?limit=100${cursor && `&cursor=${cursor}`}`)).body.data
  return page.hasMore ? [...page.results, ...(await listKeys(client, page.cursor))] : page.results
}
const makeKey = async (client: Client, name = 'another') => {
  later(1_000)
  const { body } = await client.post('/api/v1/keys', { name })
  return { ...(body.data as { keyId: string; apiKey: string }), client: service.clientFor(body.data.apiKey) }
}
const revoke = (client: Client, keyId: string) => client.send('DELETE', `/api/v1/keys/${keyId}`)
const activeKeys = async (client: Client) => (await listKeys(client)).filter((key) => key.revokedAt === null)

describe("an account's keys", () => {
  it('are made and listed by the account itself, and a key is shown only once', async () => {
    const { client } = await service.createAccount()
    later(1_000)
    const made = await client.post('/api/v1/keys', { name: ' laptop ' })
    const { apiKey, ...key } = made.body.data
    expect(apiKey).toMatch(apiKeyPattern)
    const list = await client.get('/api/v1/keys')
    expect(list.body.data.results[1]).toEqual(key)
    expect(list.body.data.results).toEqual([
      expect.objectContaining({ name: 'first key', revokedAt: null }),
      {
        keyId: made.body.data.keyId,
        name: 'laptop',
        hint: `${made.body.data.apiKey.slice(0, 12)}…`,
        scope: 'manage',
        createdAt: now.toISOString(),
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
        feedbackOnly: false,
        monthlyCredits: null,
        usedThisMonth: 0,
        madeBy: expect.any(String),
      },
    ])
    expect(JSON.stringify(list.body)).not.toContain(made.body.data.apiKey)
    expect((await service.clientFor(made.body.data.apiKey).search('a')).status).toBe(200)
  })

  it("are private: another account's key gets the same answer as an unknown one", async () => {
    const [mine, theirs] = [await service.createAccount(), await service.createAccount()]
    const [theirKey] = await listKeys(theirs.client)
    await makeKey(theirs.client)
    const foreign = await revoke(mine.client, theirKey!.keyId)
    const unknown = await revoke(mine.client, '00000000-0000-4000-8000-000000000000')
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body])
    expect((await theirs.client.search('a')).status).toBe(200)
    expect(await listKeys(mine.client)).toHaveLength(1)
  })

  it('may be revoked by themselves, at once; again changes nothing', async () => {
    const { client } = await service.createAccount()
    const second = await makeKey(client)
    expect((await revoke(second.client, second.keyId)).body).toMatchObject({ data: { keyId: second.keyId } })
    expect((await second.client.search('a')).status).toBe(401)
    const [, before] = await listKeys(client)
    later(1_000)
    expect((await revoke(client, second.keyId)).status).toBe(200)
    expect((await listKeys(client))[1]).toEqual(before)
  })

  it('are never all revoked, also by concurrent calls', async () => {
    const { client } = await service.createAccount()
    const keys = [await makeKey(client), await makeKey(client), await makeKey(client)]
    const [first] = await listKeys(client)
    const targets = [first!.keyId, ...keys.map((key) => key.keyId)]
    const answers = await Promise.all(
      [client, ...keys.map((key) => key.client)].map((own, index) => revoke(own, targets[index]!)),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 409])
    const refused = answers.find((answer) => answer.status === 409)
    expect(refused?.body.error).toEqual({ code: 'CONFLICT', message: expect.stringContaining('last active key') })
  })

  it(`are ${maxActiveKeys} active ones at most, however many are made at once; revoked ones do not count`, async () => {
    const { accountId, client } = await service.createAccount()
    const others = Array.from({ length: maxActiveKeys - 4 }, (_, index) =>
      addKey(service.database, { accountId, name: `k${index}`, apiKey: generateApiKey(), now }),
    )
    await Promise.all(others)
    const made = await Promise.all(Array.from({ length: 8 }, () => client.post('/api/v1/keys', { name: 'more' })))
    expect(made.filter((answer) => answer.status === 200)).toHaveLength(3)
    expect(made.find((answer) => answer.status === 409)?.body.error).toEqual({
      code: 'CONFLICT',
      message: expect.stringContaining('revoke one'),
    })
    const byOperator = await service
      .clientFor(service.adminKey)
      .post(`/api/admin/accounts/${accountId}/keys`, { name: 'more' })
    expect(byOperator.status).toBe(409)
    const active = await activeKeys(client)
    expect(active).toHaveLength(maxActiveKeys)
    await revoke(client, active.find(({ name }) => name === 'k1')!.keyId)
    expect((await client.post('/api/v1/keys', { name: 'in its place' })).status).toBe(200)
  })

  it('are listed in pages, every active one and the last 100 that ended', async () => {
    const { accountId, client } = await service.createAccount()
    const rows = Array.from({ length: 180 }, (_, index) => ({
      account_id: accountId,
      name: `old ${index}`,
      hash: `${accountId}-${index}`,
      hint: 'ww_live_…',
      created_at: new Date(0),
      revoked_at: new Date(index * 1_000),
    }))
    await service.database.insertInto('api_keys').values(rows).execute()
    const keys = await listKeys(client)
    expect(keys).toHaveLength(150)
    expect(keys[0]!.name).toBe('first key')
    expect(new Set(keys.map((key) => key.name)).has('old 30')).toBe(false)
  })

  it('have a time of their last use, written only now and then', async () => {
    const { client } = await service.createAccount()
    const second = await makeKey(client)
    const lastUse = async () => (await listKeys(client)).find((key) => key.keyId === second.keyId)?.lastUsedAt
    expect(await lastUse()).toBeNull()
    const start = now
    const at = async (minutes: number) => {
      now = new Date(start.getTime() + minutes * 60_000)
      await second.client.search('a')
      return lastUse()
    }
    expect(await at(0)).toBe(start.toISOString())
    expect(await at(9)).toBe(start.toISOString())
    expect(await at(10)).toBe(new Date(start.getTime() + 10 * 60_000).toISOString())
  })

  it('are listed for the operator too', async () => {
    const { accountId, client } = await service.createAccount()
    await makeKey(client, 'second')
    const { body } = await service.clientFor(service.adminKey).get(`/api/admin/accounts/${accountId}/keys`)
    expect(body.data.results.map((key: ListedKey) => key.name)).toEqual(['first key', 'second'])
  })
})
