import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyDatabase, openTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { noteEvent } from '../../../accounts/events/events.ts'
import { createSecrets } from '../../../http/secrets/secrets.ts'
import { systemClock } from '../../../runtime/clock.ts'
import type { ChannelAdapter, DeliveryOutcome } from '../adapter.ts'
import type { RenderEvent } from '../messages/renderer.ts'
import { sealedFor } from '../store/channels.ts'
import { testMessage } from '../testing.ts'
import { claimsOf } from './attempt.ts'
import { startDelivering } from './delivering.ts'

// The claim of a channel while its message is composed and sent, by an adapter that answers when the test says so.

let opened: TestDatabase
let accountId: string
let channelId: string
const secrets = createSecrets([Buffer.alloc(32, 7)])

beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(async () => {
  const { database } = opened
  const account = { name: 'test', tier: 'max' as const, created_at: new Date() }
  accountId = (await database.insertInto('accounts').values(account).returning('id').executeTakeFirstOrThrow()).id
  channelId = await addChannel()
  await noteEvent(database, { accountId, type: 'credits.low', subject: {}, now: new Date() })
})
afterEach(() => emptyDatabase(opened.database))
afterAll(() => opened.close())

async function addChannel(): Promise<string> {
  const id = randomUUID()
  await sql`
    insert into channels (id, account_id, type, name, config, hint, host, events, cadence, timezone, hour, state, created_at)
    values (${id}, ${accountId}, 'webhook', 'hook', ${secrets.seal('{}', sealedFor(id))}, 'h', 'h', '{credits.low}', 'now', 'UTC', 8, 'active', now())`.execute(
    opened.database,
  )
  return id
}
const readChannel = () => opened.database.selectFrom('channels').selectAll().executeTakeFirstOrThrow()

async function start({
  deliver,
  render,
}: {
  deliver: (channelId: string) => Promise<DeliveryOutcome>
  render?: RenderEvent
}) {
  const adapter: ChannelAdapter = {
    type: 'webhook',
    unavailable: null,
    fields: {},
    prepare: async () => ({ config: {}, hint: '', host: '' }),
    initialState: 'active',
    deliver: (_config, _message, context) => deliver(context.channelId),
  }
  return startDelivering({
    database: opened.database,
    listen: opened.listen,
    adapters: new Map([['webhook', adapter]]),
    secrets,
    render: render ?? (async () => testMessage()),
    publicUrl: () => 'https://wishwell.example',
    clock: systemClock,
    log: { error: () => {}, warn: () => {} },
    readersOf: async () => [],
    recordVisit: async () => {},
    isAutomatic: false,
  })
}

describe('a channel that this process delivers on', () => {
  it('is not claimed by it again, though its claim has run out', async () => {
    const sent: string[] = []
    const answer = Promise.withResolvers<DeliveryOutcome>()
    const delivering = await start({
      deliver: async (channel) => {
        sent.push(channel)
        return channel === channelId ? answer.promise : { outcome: 'delivered' }
      },
    })
    const running = delivering.run()
    await expect.poll(() => sent).toEqual([channelId])
    await sql`update channels set claimed_until = now() - interval '1 second'`.execute(opened.database)
    const later = await addChannel()
    await noteEvent(opened.database, { accountId, type: 'credits.low', subject: {}, now: new Date() })
    await delivering.job()
    // The one that is due after it was claimed, so it was passed over.
    await expect.poll(() => sent).toContain(later)
    expect(sent).toEqual([channelId, later])
    answer.resolve({ outcome: 'delivered' })
    await running
    expect(sent).toEqual([channelId, later, channelId])
    const { rows } = await sql`select distinct state, attempts from channel_deliveries`.execute(opened.database)
    expect(rows).toEqual([{ state: 'delivered', attempts: 1 }])
    expect(await readChannel()).toMatchObject({ claimed_by: null, due_at: null })
    await delivering.stop()
  })

  it('has the whole time of a claim before it, when the message is sent', async () => {
    const composed: Date[] = []
    const heldMs: number[] = []
    const delivering = await start({
      // Composing took nearly all of it.
      render: async () => {
        const { rows } = await sql<{ at: Date }>`
          update channels set claimed_until = clock_timestamp() + interval '1 second' returning clock_timestamp() as at`.execute(
          opened.database,
        )
        composed.push(rows[0]!.at)
        return testMessage()
      },
      deliver: async () => {
        heldMs.push((await readChannel()).claimed_until!.getTime() - composed[0]!.getTime())
        return { outcome: 'delivered' }
      },
    })
    await delivering.run()
    expect(heldMs).toHaveLength(1)
    expect(heldMs[0]).toBeGreaterThanOrEqual(claimsOf(new Map([['webhook', {} as ChannelAdapter]])).get('webhook')!)
    await delivering.stop()
  })

  it.each([
    ['was claimed by another process', sql`update channels set claimed_by = gen_random_uuid()`],
    ['was disabled', sql`update channels set state = 'disabled', disabled_reason = 'unsubscribed', due_at = null`],
    ['was deleted', sql`delete from channels`],
  ])('gets nothing when it %s while the message was composed', async (_what, meanwhile) => {
    let sent = 0
    const delivering = await start({
      render: async () => {
        await meanwhile.execute(opened.database)
        return testMessage()
      },
      deliver: async () => {
        sent += 1
        return { outcome: 'delivered' }
      },
    })
    await delivering.run()
    expect(sent).toBe(0)
    const deliveries = await opened.database.selectFrom('channel_deliveries').select('state').execute()
    expect(deliveries.filter(({ state }) => state !== 'pending')).toEqual([])
    await delivering.stop()
  })
})
