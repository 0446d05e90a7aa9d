import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { createAccount } from '../../../accounts/accounts.ts'
import { createSecrets } from '../../../http/secrets/secrets.ts'
import type { ChannelAdapter, DeliveryContext } from '../adapter.ts'
import { createEmailAdapter } from '../adapters/email.ts'
import { sealedFor } from '../store/channels.ts'
import { type AttemptDependencies, attempt, claimsOf } from './attempt.ts'
import { claimMessages } from './claims.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

const secrets = createSecrets([Buffer.alloc(32, 7)])
const email = createEmailAdapter({ database: undefined as never, mailer: null })
/** Delivers until it is told to stop. */
const endless: ChannelAdapter = {
  ...(email as ChannelAdapter),
  type: 'webhook',
  unavailable: null,
  deliver: (_config, _message, { signal }: DeliveryContext) =>
    new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve({ outcome: 'failed', error: 'It was stopped.' })),
    ),
  timeLimitMs: 10,
}

async function dueChannel(accountId: string, type: string): Promise<string> {
  const [id, eventId] = [randomUUID(), randomUUID()]
  await sql`
    with channel as (
      insert into channels (id, account_id, type, name, config, hint, host, cadence, timezone, hour, state, created_at, due_at)
      values (${id}, ${accountId}, ${type}, 'a', ${secrets.seal('{}', sealedFor(id))}, '', ${type}, 'now', 'UTC', 0, 'active', now(), now())
    ), event as (
      insert into events (id, account_id, type, subject, created_at) values (${eventId}, ${accountId}, 'credits.low', '{}', now())
    ) insert into channel_deliveries (channel_id, event_id, due_at, created_at) values (${id}, ${eventId}, now(), now())`.execute(
    opened.database,
  )
  return id
}

it('a mail may take a minute, and its channel is claimed for longer than that; others for a minute', async () => {
  expect(email.timeLimitMs).toBeGreaterThan(60_000)
  const accountId = await createAccount(opened.database, { name: 'a', tier: 'max', now: new Date() })
  const [mail, hook] = [await dueChannel(accountId, 'email'), await dueChannel(accountId, 'webhook')]
  const claimMs = claimsOf(new Map([['email', email as ChannelAdapter]]))
  const input = {
    max: 10,
    now: new Date(Date.now() + 1_000),
    underWay: new Map(),
    channelsUnderWay: new Set<string>(),
    maxOfHost: 16,
    claimMs,
  }
  // By the clock of the database, as the claims are.
  const clock = async () => {
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(opened.database)
    return rows[0]!.now.getTime()
  }
  const before = await clock()
  const claims = await claimMessages(opened.database, input)
  const after = await clock()
  expect(claims.map(({ channelId }) => channelId).toSorted()).toEqual([mail, hook].toSorted())
  const channels = await opened.database.selectFrom('channels').select(['id', 'claimed_until']).execute()
  const endOf = (channelId: string) => channels.find(({ id }) => id === channelId)!.claimed_until!.getTime()
  expect(endOf(mail) - before).toBeGreaterThan(email.timeLimitMs! + 20_000)
  expect(endOf(hook) - after).toBeLessThanOrEqual(60_000)

  // The limit of a type is that of its attempts.
  const claim = claims.find(({ channelId }) => channelId === hook)!
  const dependencies: AttemptDependencies = {
    database: opened.database,
    adapters: new Map([['webhook', endless]]),
    secrets,
    render: async ({ event: { eventId: id, type } }) => {
      const nothing = { paragraphs: [], sections: [], link: null, data: {} }
      return { id, type, occurredAt: new Date(), title: '', ...nothing } as never
    },
    publicUrl: () => 'https://wishwell.example',
    clock: { now: () => new Date() },
    log: { error: () => {} },
  }
  const result = await attempt(dependencies, claim, new AbortController().signal)
  expect(result?.outcome).toEqual({ kind: 'failed', status: null, error: 'It was stopped.' })

  // Where the operator has not configured it, the log says what is missing.
  const ofMail = claims.find(({ channelId }) => channelId === mail)!
  const adapters = new Map([['email', email as ChannelAdapter]] as const)
  const unsent = await attempt({ ...dependencies, adapters }, ofMail, new AbortController().signal)
  expect(unsent?.outcome).toMatchObject({ kind: 'failed', error: expect.stringContaining('SMTP_URL') })
})
