import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createOutbound } from '../../http/outbound/outbound.ts'
import { createSecrets } from '../../http/secrets/secrets.ts'
import { systemClock } from '../../runtime/clock.ts'
import { createAdapters } from './adapters/adapters.ts'
import { startDelivering } from './delivery/delivering.ts'
import { createRenderer } from './messages/render.ts'
import { sealedFor } from './store/channels.ts'
import { hanging, type Receiver, startReceiver } from './testing.ts'

// Holds (Watches, news and channels): a hanging receiver delays no other

// Many pending deliveries, of which a tenth of the receivers hang: the others are served soon, and memory stays flat.

const pending = campaignSize('PENDING_DELIVERIES', { quick: 2_000, nightly: 10_000 })
const ofChannel = 5
const channels = pending / ofChannel
const [fineHosts, hangingHosts] = [18, 2]

let opened: TestDatabase
let fine: Receiver[]
let silent: Receiver[]

beforeAll(async () => {
  opened = await openTestDatabase()
  fine = await Promise.all(Array.from({ length: fineHosts }, () => startReceiver()))
  silent = await Promise.all(Array.from({ length: hangingHosts }, () => startReceiver(hanging)))
})
afterAll(async () => {
  await Promise.all([...fine, ...silent].map((receiver) => receiver.close()))
  await opened.close()
})

const secrets = createSecrets([Buffer.alloc(32, 7)])

async function store(): Promise<void> {
  const { database } = opened
  const account = { name: 'test', tier: 'max' as const, created_at: new Date() }
  const { id: accountId } = await database
    .insertInto('accounts')
    .values(account)
    .returning('id')
    .executeTakeFirstOrThrow()
  const hosts = [...fine, ...silent]
  const rows = Array.from({ length: channels }, (_, index) => {
    const id = randomUUID()
    const url = `${hosts[index % hosts.length]!.url}/${index}`
    const config = secrets.seal(JSON.stringify({ url, secret: `whsec_${'A'.repeat(43)}=` }), sealedFor(id))
    return { id, config, host: new URL(url).host }
  })
  await sql`
    insert into channels (id, account_id, type, name, config, hint, host, events, cadence, timezone, hour, state, created_at)
    select id, ${accountId}, 'webhook', 'hook', config, host, host, '{credits.low}', 'now', 'UTC', 8, 'active', now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as fresh (id uuid, config text, host text)`.execute(
    database,
  )
  await sql`
    insert into events (account_id, type, subject, created_at)
    select ${accountId}, 'credits.low', '{"percent": 80, "month": "2026-11"}', now() from generate_series(1, ${ofChannel}::integer)`.execute(
    database,
  )
}

it('are served within a minute, though a tenth of the receivers hang', async () => {
  await store()
  const outbound = createOutbound({ allowPrivateTargets: true, userAgent: 'Wishwell/test', clock: systemClock })
  const errors: unknown[] = []
  const { gc = () => {} } = globalThis
  gc()
  const before = process.memoryUsage().heapUsed
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const delivering = await startDelivering({
    database: opened.database,
    listen: opened.listen,
    adapters: createAdapters({ outbound, operatorOutbound: outbound, apprise: null }),
    secrets,
    render: createRenderer({ readReport: async () => null, comparesGoals: false }),
    publicUrl: () => 'https://wishwell.example',
    clock: systemClock,
    log: { error: (fields: unknown) => errors.push(fields), warn: () => {} },
    readersOf: async () => [],
    recordVisit: async () => {},
    isAutomatic: true,
  })
  const served = () => fine.reduce((sum, { received }) => sum + received.length, 0)
  const expected = (pending * fineHosts) / (fineHosts + hangingHosts)
  await expect.poll(served, { timeout: 90_000, interval: 50 }).toBe(expected)
  const tookMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  const counted = async () =>
    (
      await sql<{
        state: string
        count: number
      }>`select state, count(*)::integer as count from channel_deliveries group by 1 order by 1`.execute(
        opened.database,
      )
    ).rows
  await expect.poll(async () => (await counted())[0]).toEqual({ state: 'delivered', count: expected })
  // What receivers got is kept by this test; it is some hundred bytes each.
  const grownMb = (process.memoryUsage().heapUsed - before) / 2 ** 20
  console.log(
    `${pending} pending: ${expected} served in ${Math.round(tookMs)} ms (${Math.round((user + system) / 1_000)} ms of processors), heap grew by ${grownMb.toFixed(1)} MB`,
  )
  expect(tookMs).toBeLessThan(60_000)
  expect(grownMb).toBeLessThan(150)
  const ids = fine.flatMap(({ received }) => received.map(({ path, headers }) => `${path} ${headers['webhook-id']}`))
  expect(new Set(ids).size).toBe(expected)
  await delivering.stop()
  await outbound.close()
  expect(errors).toEqual([])
}, 180_000)
