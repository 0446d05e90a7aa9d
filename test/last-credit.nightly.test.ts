import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plans } from '../src/accounts/plans.ts'
import { ledgerOf } from '../src/credits/testing.ts'
import { verifyAccounts, verifyLedger } from '../src/credits/verify.ts'
import { type Database, openDatabase } from '../src/database/open.ts'
import { campaignSize } from './campaign-size.ts'
import { startChildService } from './child-service.ts'
import { createTestClient } from './client.ts'
import { copyDatabase } from './database.ts'
import { testAdminKey } from './service.ts'

// Many calls over HTTP for the last credits of an account, as src/credits/last-credit.postgres.test.ts has them of the ledger alone.

const calls = 200
const rounds = campaignSize('RACE_ROUNDS', { quick: 1, nightly: 10 })

interface Services {
  urls: string[]
  database: Database
  stop(): Promise<void>
}

/** Two processes on one Postgres. They run no jobs, so no credit is released either. */
async function startOnPostgres(): Promise<Services> {
  const copy = await copyDatabase()
  const { dataDir: DATA_DIR, databaseUrl: DATABASE_URL } = copy.options
  const environment = { DATA_DIR, DATABASE_URL, ADMIN_API_KEY: testAdminKey, ROLE: 'api' }
  const children = [await startChildService(environment), await startChildService(environment)]
  const onCrash = (error: Error) => {
    throw error
  }
  const { database, close } = await openDatabase({ ...copy.options, poolSize: 1, onCrash })
  return {
    urls: children.map((child) => child.url),
    database,
    stop: async () => {
      for (const child of children) expect(await child.end('SIGTERM')).toBe(0)
      await close()
      await copy.remove()
    },
  }
}

let services: Services
beforeAll(async () => {
  services = await startOnPostgres()
})
afterAll(() => services.stop())

const clientsOf = (apiKey: string) => services.urls.map((url) => createTestClient(() => url, apiKey))

/** A new account that has so many credits left; new, because its calls must fit in one minute of its plan. */
async function makeAccountWith(left: number) {
  const admin = createTestClient(() => services.urls[0] ?? '', testAdminKey)
  const { body } = await admin.post('/api/admin/accounts', { name: 'a racer', tier: 'max' })
  const { accountId, apiKey } = body.data as { accountId: string; apiKey: string }
  await ledgerOf(() => services.database).startCall(accountId, plans.max.creditsPerMonth - left, new Date())
  return { accountId, clients: clientsOf(apiKey) }
}

const countJobs = async (accountId: string) =>
  (await services.database.selectFrom('scrape_jobs').select('id').where('account_id', '=', accountId).execute()).length

/** How many connections the pools of the two processes hold; that of this test does not count, nor do those of the queue. */
async function countConnections(): Promise<number | undefined> {
  const { rows } = await sql<{ connections: number }>`
    select count(*)::integer as connections from pg_stat_activity
    where datname = current_database() and application_name = 'wishwell' and pid <> pg_backend_pid()`.execute(
    services.database,
  )
  return rows[0]?.connections
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe(`of ${calls} calls at once, in ${rounds} rounds`, () => {
  it.each([1, 2, 10])(
    'exactly as many are accepted as there are credits left: %i',
    { timeout: rounds * 20_000 },
    async (left) => {
      const { creditsPerMonth: limit } = plans.max
      for (let round = 0; round < rounds; round++) {
        const { accountId, clients } = await makeAccountWith(left)
        const answers = await Promise.all(
          upTo(calls).map((call) =>
            clients[call % clients.length]?.scrape({ topic: 'dark mode', platforms: ['github'], depth: 1 }),
          ),
        )
        expect(await countConnections()).toBe(20)
        const accepted = answers.filter((answer) => answer?.status === 200)
        const told = accepted.map((answer) => answer?.body.usage.credits.remaining)
        expect(told.sort((a, b) => a - b)).toEqual(upTo(left))
        for (const refused of answers.filter((answer) => !accepted.includes(answer))) {
          expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED', reason: 'credits' } } })
        }
        for (const client of clients) {
          const { credits } = (await client.get('/api/v1/usage')).body.data
          expect(credits).toMatchObject({ used: limit, limit, remaining: 0 })
        }
        expect(await countJobs(accountId)).toBe(left)
        expect(await verifyAccounts(services.database, [accountId])).toEqual([])
      }
    },
  )

  it('the ledger is sound', async () => {
    expect(await verifyLedger(services.database)).toEqual([])
  })
})
