import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { createAccount } from '../../src/accounts/accounts.ts'
import { openDatabase } from '../../src/database/open.ts'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import { createSecrets } from '../../src/http/secrets/secrets.ts'
import { createAdapters } from '../../src/notifications/channels/adapters/adapters.ts'
import { prepareChannel, storeChannel } from '../../src/notifications/channels/channels.ts'
import { type Answering, startReceiver } from '../../src/notifications/channels/testing.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { campaignSize, crashSeed } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { copyDatabase } from '../database.ts'
import { deliverAll } from './delivering.ts'
import type { DeliveriesOrder } from './dying-deliveries.ts'

// Holds (Watches, news and channels): an event is delivered at least once, with one id, however often processes are killed

// kill -9 between claims, sends and confirmations, against a real receiver that counts by `webhook-id`. In `npm test` at two statements that are always the
// same; at night at random moments, which TEST_SEED repeats as far as moments repeat.

const program = fileURLToPath(new URL('dying-deliveries.ts', import.meta.url))
const isCampaign = process.env.TEST_NIGHTLY !== undefined
const fixedStatements = [8, 30]
const kills = campaignSize('DELIVERY_KILLS', { quick: fixedStatements.length, nightly: 50 })
const seed = crashSeed()
const secretsKey = randomBytes(32).toString('base64')
/** Two get each event at once, one gets digests. */
const cadences = ['now', 'now', 'daily'] as const
const eventsOfLife = isCampaign ? 6 : 3
/** Of a process that ended while something waits still. */
const openExitCode = 3

/** A process that delivers, and the ways in which it dies. */
type Death = 'statement' | 'before the answer' | 'after the answer'

it(`kill -9 at ${kills} moments: each event arrives, repeats have its id, nothing else arrives (TEST_SEED=${seed})`, {
  timeout: kills * 60_000 + 240_000,
}, async () => {
  const random = createRandom(seed)
  const copy = await copyDatabase()
  let child: ChildProcess | null = null
  let [death, arrivals]: [Death | null, number] = [null, 0]
  let isOutOfOrder = isCampaign
  const kill = () => child?.kill('SIGKILL')
  const answering: Answering = (response) => {
    const isLast = --arrivals === 0
    if (isLast && death === 'before the answer') return void kill()
    // Now and then it is out of order.
    response.writeHead(isOutOfOrder && random.next() < 0.1 ? 500 : 200).end()
    if (isLast && death === 'after the answer') response.on('finish', kill)
  }
  const receiver = await startReceiver(answering)
  onTestFinished(async () => {
    kill()
    await receiver.close()
    await copy.remove()
  })
  const open = () =>
    openDatabase({
      ...copy.options,
      onCrash: (error) => {
        throw error
      },
    })
  const prepared = await open()
  const outbound = createOutbound({ allowPrivateTargets: true, userAgent: 'test', clock: systemClock })
  const secrets = createSecrets([Buffer.from(secretsKey, 'base64')])
  const adapters = createAdapters({ outbound, operatorOutbound: outbound, apprise: null })
  const now = new Date()
  const accountId = await createAccount(prepared.database, { name: 'a', tier: 'max', now })
  const paths = new Map<string, string>()
  for (const [index, cadence] of cadences.entries()) {
    const shared = {
      type: 'webhook' as const,
      name: `channel ${index}`,
      events: ['credits.low'],
      timezone: 'UTC',
      hour: 0,
    }
    const channel = await prepareChannel({ secrets, adapters }, { ...shared, cadence, url: `${receiver.url}/${index}` })
    await prepared.database
      .transaction()
      .execute((transaction) => storeChannel(transaction, channel, { accountId, keyId: null, now }))
    paths.set(channel.channelId, `/${index}`)
  }
  await outbound.close()
  await prepared.close()

  /** @returns how the process ended. */
  const live = async (way: Death, events: number, dieAfter: number | null): Promise<[number | null, string | null]> => {
    death = way
    arrivals = random.integer(1, 2 * eventsOfLife)
    const execArgv = ['--disable-warning=ExperimentalWarning']
    child = fork(program, { env: childEnvironment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const ended = once(child, 'exit')
    child.send({ ...copy.options, accountId, secretsKey, events, dieAfter } satisfies DeliveriesOrder)
    return (await ended) as [number | null, string | null]
  }
  const ways: Death[] = ['statement', 'before the answer', 'after the answer']
  let killed = 0
  for (let time = 0; killed < kills; time++) {
    const way = isCampaign ? ways[time % ways.length]! : 'statement'
    expect(time, 'few of the processes met their death').toBeLessThan(isCampaign ? 3 * kills + 3 : kills)
    const dieAfter = way !== 'statement' ? null : isCampaign ? random.integer(1, 60) : fixedStatements[time]!
    const [exitCode, signal] = await live(way, eventsOfLife, dieAfter)
    if (signal === 'SIGKILL') killed += 1
    else expect([0, openExitCode]).toContain(exitCode)
  }
  // What failed is tried again, by a receiver that works: after each failure the others of its channel would wait for the next life.
  isOutOfOrder = false
  // Nothing is killed any more: that needs no process.
  const { database, listen, close } = await open()
  const deliver = () => deliverAll({ database, listen }, { accountId, secretsKey, events: 0 })
  let isDone = false
  death = null
  for (let time = 0; time < 7 && !isDone; time++) isDone = await deliver()
  expect(isDone).toBe(true)

  const events = await database.selectFrom('events').select('id').orderBy('id').execute()
  const log = await database.selectFrom('channel_deliveries').selectAll().execute()
  const channels = await database.selectFrom('channels').selectAll().execute()
  await close()
  expect(events.length).toBeGreaterThan(kills)
  for (const { id, cadence, ...channel } of channels) {
    const arrived = receiver.received.filter(({ path }) => path === paths.get(id))
    const arrivedIds = new Set(arrived.map(({ headers }) => String(headers['webhook-id'])))
    const lines = log.filter((line) => line.channel_id === id)
    expect(lines.map((line) => line.event_id).toSorted()).toEqual(events.map((event) => event.id))
    // Every event arrived in the message that the log names, and nothing else arrived.
    expect(arrivedIds).toEqual(new Set(lines.map((line) => line.message_id)))
    if (cadence === 'now') for (const line of lines) expect(line.message_id).toBe(line.event_id)
    const ended = { state: 'delivered', due_at: null, last_status: 200, last_error: null, ended_at: expect.any(Date) }
    for (const line of lines) {
      expect(line).toMatchObject(ended)
      const repeats = arrived.filter(({ headers }) => headers['webhook-id'] === line.message_id)
      // What a killed process sent, it could not count.
      expect(line.attempts).toBeGreaterThan(0)
      expect(line.attempts).toBeLessThanOrEqual(repeats.length)
      expect(new Set(repeats.map(({ body }) => body)).size, `${cadence}: a repeat says something else`).toBe(1)
    }
    expect(channel).toMatchObject({ state: 'active', failures: 0, failing_since: null, due_at: null, claimed_by: null })
  }
  console.log(`${events.length} events, ${receiver.received.length} messages arrived, ${killed} kills`)
})
