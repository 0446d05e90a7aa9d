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
import { createTrackers } from '../../src/notifications/trackers/adapters/adapters.ts'
import { addTracker } from '../../src/notifications/trackers/store/trackers.ts'
import { type FakeTracker, startFakeGithub, startFakeLinear } from '../../src/notifications/trackers/testing.ts'
import { storeRequests } from '../../src/sharing/shares/testing.ts'
import { campaignSize, crashSeed } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { copyDatabase } from '../database.ts'
import { foundRequest } from '../scripted-platform.ts'
import type { PushesOrder } from './dying-pushes.ts'

// Holds (Watches, news and channels): kill -9 while pushing neither duplicates nor loses issues, and what was undone is closed

// Against a GitHub and a Linear that count, at random moments, which TEST_SEED repeats as far as moments repeat. A break at each step in one process:
// src/notifications/trackers/breaks.service.test.ts.

const program = fileURLToPath(new URL('dying-pushes.ts', import.meta.url))
const kills = campaignSize('PUSH_KILLS', { quick: 100, nightly: 100 })
const seed = crashSeed()
const secretsKey = randomBytes(32).toString('base64')
const hourMs = 3_600_000

type Death = 'statement' | 'before the answer' | 'after the answer'
const ways: readonly Death[] = ['statement', 'before the answer', 'after the answer']

it(`kill -9 at ${kills} moments: each pushed wish is one issue, each undone one is closed (TEST_SEED=${seed})`, {
  timeout: kills * 60_000 + 240_000,
}, async () => {
  const random = createRandom(seed)
  const copy = await copyDatabase()
  let child: ChildProcess | null = null
  let [death, arrivals, aheadMs]: [Death | null, number, number] = [null, 0, 0]
  const clock = { now: () => new Date(Date.now() + aheadMs) }
  const fakes: FakeTracker[] = [await startFakeGithub(clock.now), await startFakeLinear(clock.now)]
  const kill = () => child?.kill('SIGKILL')
  for (const fake of fakes) {
    fake.breaking = () => {
      if (death === null || death === 'statement' || --arrivals !== 0) return null
      kill()
      return { kind: death === 'before the answer' ? 'cut before' : 'cut after' }
    }
  }
  onTestFinished(async () => {
    kill()
    for (const fake of fakes) await fake.close()
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
  const outbound = createOutbound({ allowPrivateTargets: true, userAgent: 'test', clock })
  const secrets = createSecrets([Buffer.from(secretsKey, 'base64')])
  const adapters = createTrackers(outbound, clock)
  const accountId = await createAccount(prepared.database, { name: 'a', tier: 'max', now: clock.now() })
  const trackerIds: string[] = []
  for (const [type, project, { url }] of [
    ['github', 'acme/app', fakes[0]!],
    ['linear', 'APP', fakes[1]!],
  ] as const) {
    const fields = { url, project, token: 'token' }
    const made = {
      type,
      name: type,
      fields,
      ...(await adapters.get(type)!.prepare(fields, AbortSignal.timeout(5_000))),
    }
    const owner = { accountId, keyId: null, now: clock.now() }
    const row = await prepared.database
      .transaction()
      .execute((transaction) => addTracker(transaction, secrets, made, owner))
    trackerIds.push(row.id)
  }
  await outbound.close()
  const found = Array.from({ length: 3 * kills + 6 }, (_, at) =>
    foundRequest(`${at}`, { title: `Wish ${at}: a dark mode` }),
  )
  await storeRequests(prepared as never, found)
  const wishes = (await prepared.database.selectFrom('requests').select('id').orderBy('source_id').execute()).map(
    ({ id }) => id,
  )
  await prepared.close()

  const pushed: string[] = []
  const undone = new Set<string>()
  /** @returns whether the process was killed. */
  const live = async (way: Death | null, dieAfter: number | null): Promise<boolean> => {
    death = way
    arrivals = random.integer(1, 8)
    aheadMs += 2 * hourMs
    // A new wish, and one of before again.
    const again = pushed.filter((id) => !undone.has(id)).slice(-1)
    const push = way === null ? [] : [wishes.pop()!, ...again]
    pushed.push(...push.slice(0, 1))
    const undo = way !== null && random.next() < 0.3 ? [random.pick(pushed)] : []
    for (const id of undo) undone.add(id)
    const execArgv = ['--disable-warning=ExperimentalWarning']
    child = fork(program, { env: childEnvironment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const ended = once(child, 'exit')
    const shared = { accountId, trackerIds, secretsKey, aheadMs }
    child.send({ ...copy.options, ...shared, push, undo: [...undone], dieAfter } satisfies PushesOrder)
    const [exitCode, signal] = (await ended) as [number | null, string | null]
    if (signal !== 'SIGKILL') expect(exitCode).toBe(0)
    return signal === 'SIGKILL'
  }
  let killed = 0
  for (let time = 0; killed < kills; time++) {
    expect(time, 'few of the processes met their death').toBeLessThan(3 * kills + 3)
    const way = ways[time % ways.length]!
    if (await live(way, way === 'statement' ? random.integer(1, 90) : null)) killed += 1
  }
  for (let time = 0; time < 3; time++) await live(null, null)

  const { database, close } = await open()
  const rows = await database.selectFrom('pushes').selectAll().execute()
  await close()
  // What the first statements of a life did not come to was never pushed.
  expect(rows.length).toBeGreaterThan(0)
  const counts = new Map<string, number>()
  for (const { id, tracker_id: trackerId, wish_id: wishId, state, issue_id: issueId } of rows) {
    const fake = fakes[trackerIds.indexOf(trackerId)]!
    const issues = fake.issues.filter((one) => one.id === id || one.body.includes(`wishwell:${id}`))
    expect(issues.length, 'doubled').toBeLessThanOrEqual(1)
    const isOpen = issues.some((one) => one.state === 'OPEN' || one.state === 'backlog')
    const end = undone.has(wishId) ? 'undone' : 'sent'
    expect({ wishId, state, isOpen }).toEqual({ wishId, state: end, isOpen: end === 'sent' })
    if (end === 'sent') expect(issues[0]!.id).toBe(issueId)
    counts.set(end, (counts.get(end) ?? 0) + 1)
  }
  const issues = fakes.reduce((sum, fake) => sum + fake.issues.length, 0)
  expect(issues).toBeLessThanOrEqual(rows.length)
  console.log(`${killed} kills, ${issues} issues, ${JSON.stringify(Object.fromEntries(counts))}`)
})
