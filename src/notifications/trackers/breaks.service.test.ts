import { randomBytes } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom, type Random } from '../../../simulator/random.ts'
import { campaignSize } from '../../../test/campaign-size.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { createOutbound } from '../../http/outbound/outbound.ts'
import { createSecrets } from '../../http/secrets/secrets.ts'
import { storeRequests } from '../../sharing/shares/testing.ts'
import { createTrackers } from './adapters/adapters.ts'
import { startSending } from './sending/sending.ts'
import { pushWish, undoPush } from './store/pushes.ts'
import { addTracker } from './store/trackers.ts'
import { type Break, type FakeTracker, startFakeGithub, startFakeLinear } from './testing.ts'

// Holds (Watches, news and channels): a pushed wish is exactly one issue, however often the database or connection breaks

const cases = campaignSize('PUSH_BREAKS', { quick: 200, nightly: 1_000 })
const seed = Number(process.env.TEST_SEED ?? 1)

let opened: TestDatabase
let accountId: string
let wishId: string
let now = new Date('2026-06-01T12:00:00.000Z')
const clock = { now: () => now }
const fakes = new Map<'github' | 'linear', FakeTracker>()
const outbound = createOutbound({ allowPrivateTargets: true, userAgent: 'test', clock })
const adapters = createTrackers(outbound, clock)
const secrets = createSecrets([randomBytes(32)])

beforeAll(async () => {
  opened = await openTestDatabase()
  fakes.set('github', await startFakeGithub(clock.now))
  fakes.set('linear', await startFakeLinear(clock.now))
  accountId = await createAccount(opened.database, { name: 'a', tier: 'max', now })
  await storeRequests(opened as never, [foundRequest('1', { title: 'Dark mode', votes: 12 })], { now })
  wishId = (await opened.database.selectFrom('requests').select('id').executeTakeFirstOrThrow()).id
})
afterAll(async () => {
  for (const fake of fakes.values()) await fake.close()
  await outbound.close()
  await opened.reset()
  await opened.close()
})

/** Has the n-th statement fail, before the database has it or after. */
function failing(at: number, when: 'before' | 'after'): KyselyPlugin {
  let count = 0
  const fail = () => {
    throw new Error('the database broke, as this test wants it')
  }
  return {
    transformQuery: ({ node }) => {
      count += 1
      return when === 'before' && count === at ? fail() : node
    },
    transformResult: async ({ result }) => (when === 'after' && count === at ? fail() : result),
  }
}

async function makeTracker(type: 'github' | 'linear'): Promise<string> {
  const fields = { url: fakes.get(type)!.url, project: type === 'github' ? 'acme/app' : 'APP', token: 'token' }
  const prepared = await adapters.get(type)!.prepare(fields, AbortSignal.timeout(5_000))
  const row = await opened.database
    .transaction()
    .execute((transaction) =>
      addTracker(transaction, secrets, { type, name: type, fields, ...prepared }, { accountId, keyId: null, now }),
    )
  return row.id
}

const push = (trackerId: string) =>
  opened.database
    .transaction()
    .execute((transaction) =>
      pushWish(transaction, { accountId, hasOwnView: false }, { wishId, trackerId, madeBy: 'admin', now }),
    )

/** A life of a process: it does what is due, and may meet a break at a statement. */
async function live(plugin: KyselyPlugin | null): Promise<void> {
  const database = plugin === null ? opened.database : opened.database.withPlugin(plugin)
  const sending = await startSending({
    ...{ clock, adapters, secrets, isAutomatic: false, listen: opened.listen, log: { error: () => {} } },
    database: database as never,
    publicUrl: () => null,
  })
  await sending.run().catch(() => {})
  await sending.stop()
}

/** Later than every claim, rest and wait. */
async function pass(): Promise<void> {
  now = new Date(now.getTime() + 7_200_000)
  await sql`update trackers set claimed_until = now() - interval '1 second' where claimed_until is not null`.execute(
    opened.database,
  )
}

const breaks: Break[] = [
  { kind: 'cut before' },
  { kind: 'cut after' },
  { kind: 'cut within' },
  { kind: 'status', status: 502 },
  { kind: 'status', status: 429, headers: { 'retry-after': '30' } },
  { kind: 'status', status: 401 },
  { kind: 'done, and yet', status: 504 },
]
/** More statements than a life has that sends one push. */
const maxStatements = 40

/** What the lives of one case meet. */
const plan = (random: Random) =>
  Array.from({ length: random.integer(1, 3) }, () => ({
    statement: random.next() < 0.7 ? failing(random.integer(1, maxStatements), random.pick(['before', 'after'])) : null,
    call: random.next() < 0.6 ? { at: random.integer(1, 3), met: random.pick(breaks) } : null,
  }))

async function runCase(random: Random): Promise<{ type: string; isUndone: boolean }> {
  await sql`delete from trackers`.execute(opened.database)
  const type = random.pick(['github', 'linear'] as const)
  const fake = fakes.get(type)!
  fake.issues.length = 0
  const trackerId = await makeTracker(type)
  const { id: pushId } = await push(trackerId)
  const lives = plan(random)
  const undoneAfter = random.next() < 0.3 ? random.integer(0, lives.length) : -1
  const undo = () =>
    opened.database.transaction().execute((transaction) => undoPush(transaction, { accountId, pushId, now }))
  for (const [at, { statement, call }] of lives.entries()) {
    if (at === undoneAfter) await undo()
    let calls = 0
    fake.breaking = () => (call !== null && ++calls === call.at ? call.met : null)
    await live(statement)
    await pass()
  }
  fake.breaking = () => null
  if (undoneAfter === lives.length) await undo()
  await live(null)
  await pass()
  await live(null)
  const row = await opened.database.selectFrom('pushes').selectAll().where('id', '=', pushId).executeTakeFirstOrThrow()
  const isUndone = undoneAfter >= 0
  expect(fake.issues.length, 'doubled').toBeLessThanOrEqual(1)
  const open = fake.issues.filter(({ state }) => state === 'OPEN' || state === 'backlog')
  if (isUndone) {
    expect(row).toMatchObject({ state: 'undone', due_at: null })
    expect(open, 'an issue of an undone push is open').toEqual([])
  } else {
    expect(open, 'lost').toHaveLength(1)
    expect(row).toMatchObject({ state: 'sent', issue_id: open[0]!.id, status: 'open', last_error: null })
  }
  return { type, isUndone }
}

it(`${cases} breaks at each step: none doubled, none lost, what was undone is closed (TEST_SEED=${seed})`, {
  timeout: 60_000 + cases * 2_000,
}, async () => {
  const random = createRandom(seed)
  const ends: string[] = []
  for (let at = 0; at < cases; at++) {
    const { type, isUndone } = await runCase(random)
    ends.push(`${type} ${isUndone ? 'undone' : 'sent'}`)
  }
  const counts = Map.groupBy(ends, (end) => end)
  console.log([...counts].map(([end, all]) => `${end}: ${all.length}`).join(', '))
})
