import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { deleteForgottenAsks } from '../feedback/imports.ts'
import { fillDatabase } from '../operations/moving/testing.ts'
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

/** The tables in which an id of a deleted account stays, and why. */
const staying: Readonly<Record<string, string>> = {
  accounts: 'the row that the ledger and the jobs refer to, without its name',
  api_keys: 'revoked, without names: a key opens no other account, and jobs say who paid',
  ...Object.fromEntries(
    ['credit_balances', 'credit_entries', 'credit_reservations', 'credit_alerts', 'spender_months'].map((name) => [
      name,
      "the ledger: the operator's books",
    ]),
  ),
  scrape_jobs: 'a job under way goes on, because it is paid, and what it found is of all',
  account_schedule: 'when it was last served: its jobs under way take their turn',
  live_calls: 'one under way gives back what it holds, and is deleted within minutes',
  events: 'ids and numbers, deleted after 30 days; without channels nobody is told',
  rate_limit_windows: 'the calls of the last minute',
}

// Holds (Accounts): a deleted account leaves only its ledger, its jobs and rows listed with a reason
describe('every table with rows of an account', () => {
  /** The tables with a column of an account, by its name or by what it refers to. */
  const readTables = async () => {
    const { rows } = await sql<{ name: string }>`
      select distinct relname as name from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      left join pg_constraint on conrelid = pg_class.oid and contype = 'f' and attnum = any(conkey)
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and (attname like '%account_id%' or confrelid in ('accounts'::regclass, 'credit_balances'::regclass)) order by 1`.execute(
      service.database,
    )
    return rows.map(({ name }) => name)
  }
  /** All tables with a row in which one of the ids stands, in any column. */
  const readNaming = async (ids: readonly string[]) => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`.execute(
      service.database,
    )
    const naming: string[] = []
    for (const { name } of rows) {
      const found =
        await sql`select from ${sql.table(name)} as t where t::text like any(${ids.map((id) => `%${id}%`)}) limit 1`.execute(
          service.database,
        )
      if (found.rows.length > 0) naming.push(name)
    }
    return naming.sort()
  }

  it('is emptied when it is deleted, or is named with the reason why its rows stay', async () => {
    await fillDatabase(service.opened)
    const importer = await service.createAccount()
    const file = await importer.client.send('POST', '/api/v1/feedback/imports?name=board', {
      headers: { 'content-type': 'text/csv' },
      body: 'title\nPlease add a dark theme\n',
    })
    expect(file.status, file.text).toBe(200)
    const ids = [...[1, 2].map((number) => `a0000000-0000-4000-8000-00000000000${number}`), importer.accountId]
    const tables = await readTables()
    // A new table with an account's column gets its rows in `fillDatabase`.
    const filled = await readNaming(ids)
    expect(tables.filter((name) => !filled.includes(name))).toEqual([])
    for (const id of ids) expect((await remove(id)).status).toBe(200)
    // Many asks are deleted after the answer.
    while (await deleteForgottenAsks(service.database));
    expect(await readNaming(ids)).toEqual(Object.keys(staying).sort())
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
