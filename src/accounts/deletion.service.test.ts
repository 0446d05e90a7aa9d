import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { bootstrapFirstAccount } from './accounts.ts'
import { generateApiKey } from './api-key.ts'

const deletion = Promise.withResolvers<void>()
let service: TestService
beforeAll(async () => {
  const pages = numberedPages(2)
  const github = scriptedPlatform('github', async (call, request) => {
    // The job waits here until the test has deleted its account.
    if (call === 0) await deletion.promise
    return pages(call, request)
  })
  service = await startTestService({ platforms: platformMap(github) })
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const admin = () => service.clientFor(service.adminKey)
const remove = (accountId: string) => admin().send('DELETE', `/api/admin/accounts/${accountId}`)
const listIds = async (query = '') =>
  (await admin().get(`/api/admin/accounts${query}`)).body.data.results.map(
    (account: { accountId: string }) => account.accountId,
  )

describe('a deleted account', () => {
  it('is charged for the job under way, while its keys are refused at once', async () => {
    const { accountId, client } = await service.createAccount('pro')
    const { body } = await client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 3 })
    const { jobId } = body.data
    expect((await remove(accountId)).body).toEqual({ data: { accountId } })
    expect((await client.get(`/api/v1/scrape/${jobId}`)).status).toBe(401)
    expect((await client.post('/api/v1/keys', { name: 'a way back' })).status).toBe(401)
    deletion.resolve()
    await expect.poll(() => readTask(jobId)).toEqual({ state: 'done', pages: 2 })
    const { rows } = await sql`select state, settled from credit_reservations where account_id = ${accountId}`.execute(
      service.database,
    )
    expect(rows).toEqual([{ state: 'closed', settled: 2 }])
  })

  it('has no name of its own or of its keys, and is listed only on request', async () => {
    const { accountId } = await service.createAccount()
    await admin().post(`/api/admin/accounts/${accountId}/keys`, { name: "Ada's laptop" })
    await remove(accountId)
    expect(await listIds()).not.toContain(accountId)
    expect(await listIds('?deleted=true')).toContain(accountId)
    const accounts = await service.database.selectFrom('accounts').selectAll().where('id', '=', accountId).execute()
    const keys = await service.database.selectFrom('api_keys').selectAll().where('account_id', '=', accountId).execute()
    expect(accounts).toMatchObject([{ name: 'deleted account', deleted_at: expect.any(Date) }])
    expect(keys.map((key) => key.name)).toEqual(['deleted key', 'deleted key'])
    expect(keys.every((key) => key.revoked_at !== null)).toBe(true)
  })

  it('gets the same answers of admin calls as an unknown account', async () => {
    const { accountId } = await service.createAccount()
    await remove(accountId)
    const path = `/api/admin/accounts/${accountId}`
    const patch = { headers: { 'content-type': 'application/json' }, body: '{"tier":"pro"}' }
    const answers = [
      await remove(accountId),
      await admin().send('PATCH', path, patch),
      await admin().get(`${path}/keys`),
      await admin().post(`${path}/keys`, { name: 'a' }),
      await admin().post(`${path}/packs`, { pack: 'starter' }),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([
        404,
        { error: { code: 'NOT_FOUND', message: 'Account not found.' } },
      ])
    }
  })

  it('is opened by no key, even one that was added during its deletion', async () => {
    const { accountId, client } = await service.createAccount()
    await remove(accountId)
    await service.database
      .updateTable('api_keys')
      .set({ revoked_at: null })
      .where('account_id', '=', accountId)
      .execute()
    expect((await client.search('a')).status).toBe(401)
  })
})

describe('the first account, once deleted', () => {
  const bootstrap = (apiKey?: string) =>
    bootstrapFirstAccount(service.database, { apiKey, tier: 'pro', now: new Date() })

  it('is not made again at the next start', async () => {
    const [first] = await listIds()
    await remove(first)
    expect(await bootstrap()).toBeNull()
    expect(await bootstrap(service.apiKey)).toBeNull()
    expect(await listIds()).toEqual([])
    expect((await service.client.search('a')).status).toBe(401)
  })

  it('is not replaced: a new BOOTSTRAP_API_KEY opens a new account', async () => {
    const [first] = await listIds()
    const other = await service.createAccount()
    await remove(first)
    const key = generateApiKey()
    await bootstrap(key)
    await bootstrap(key)
    expect(await listIds()).toHaveLength(2)
    const { body } = await service.clientFor(key).get('/api/v1/keys')
    expect(body.data.results).toHaveLength(1)
    expect((await other.client.get('/api/v1/keys')).body.data.results).toHaveLength(1)
  })
})

async function readTask(jobId: string) {
  return service.database
    .selectFrom('scrape_tasks')
    .select(['state', 'pages'])
    .where('job_id', '=', jobId)
    .executeTakeFirst()
}
