import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { campaignSize } from '../campaign-size.ts'
import type { ChildService } from '../child-service.ts'
import type { DatabaseCopy } from '../database.ts'
import { openCampaign, readState } from './campaign.ts'

// Holds (Jobs): no page is lost, duplicated or charged twice across `kill -9`

// A process that is frozen for longer than its heartbeat and then goes on, and every third one that is killed, at random moments:
// every job ends, and late writes of a frozen process are rejected.
//   FROZEN_ROUNDS=30 FROZEN_HEARTBEAT=real TEST_SEED=1 …: so many rounds, and the real heartbeat.

const embedded = process.env.TEST_BACKEND === 'embedded'
const rounds = campaignSize('FROZEN_ROUNDS', { quick: 1, nightly: 6 })
const isReal = process.env.FROZEN_HEARTBEAT === 'real'
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
/** The heartbeat is 10 s. No other process takes over an embedded database: its process only has to survive a pause. */
const pauseMs = isReal ? 12_000 : 500
let campaign: Awaited<ReturnType<typeof openCampaign>>

beforeAll(async () => {
  campaign = await openCampaign()
})
afterAll(() => campaign.close())

/** The entries of the queue that are in work, with the number of their handing-over. */
async function readEntries(database: Database): Promise<string[]> {
  const { rows } = await sql<{ entry: string }>`
    select id || ':' || retry_count as entry from pgboss.job where state = 'active'`.execute(database)
  return rows.map(({ entry }) => entry)
}

/** Waits until whatever was in work when a process stopped is done, or in other hands. @returns after how long, in ms. */
async function waitForTakeover(database: Database): Promise<number> {
  const before = new Set(await readEntries(database))
  const startedAt = performance.now()
  const left = async () => {
    if (!isReal) {
      await sql`update pgboss.job set heartbeat_on = now() - interval '1 minute'
        where state = 'active' and id || ':' || retry_count = any(${[...before]}::text[])`.execute(database)
    }
    return (await readEntries(database)).filter((entry) => before.has(entry))
  }
  await expect.poll(left, { timeout: 120_000, interval: 250 }).toEqual([])
  return Math.round(performance.now() - startedAt)
}

/** Freezes a process until another has its tasks, or for a while where there is no other. */
async function freeze({ process }: ChildService, database: Database | null): Promise<number | null> {
  process.kill('SIGSTOP')
  const takeoverMs = database ? await waitForTakeover(database) : await sleep(pauseMs, null)
  process.kill('SIGCONT')
  return takeoverMs
}

const openAside = (copy: DatabaseCopy) =>
  openDatabase({
    ...copy.options,
    onCrash: (error) => {
      throw error
    },
  })

it(`ends every job and writes nothing twice after ${rounds} processes were frozen or killed`, {
  timeout: 240_000 + rounds * 180_000,
}, async () => {
  console.log(`frozen campaign: ${rounds} rounds, seed ${seed} (set TEST_SEED to repeat it)`)
  const random = createRandom(seed)
  const expected = await campaign.undisturbedRun(readState)
  const copy = await campaign.newCopy()
  const opened = embedded ? null : await openAside(copy)
  let first = await campaign.start(copy)
  // The one that takes over: an embedded database has one process only.
  const second = embedded ? null : await campaign.start(copy)
  const client = campaign.clientOf(() => second ?? first)
  const takeoversMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const jobIds = await campaign.startJobs(client)
    await sleep(50 + random.next() * 600)
    if (round % 3 === 2) {
      await first.end('SIGKILL')
      first = await campaign.start(copy)
    } else {
      const takeoverMs = await freeze(first, opened?.database ?? null)
      if (takeoverMs !== null) takeoversMs.push(takeoverMs)
    }
    for (const jobId of jobIds) {
      expect(await client.waitForJob(jobId, 120_000)).toMatchObject({ status: 'completed' })
    }
  }
  if (takeoversMs.length > 0) console.log(`taken over after ${takeoversMs.join(', ')} ms`)
  await opened?.close()
  for (const service of [first, second]) if (service) expect(await service.end('SIGTERM')).toBe(0)

  const state = await readState(copy)
  // Each round collects the same once more: every job has the same pages, and no request is stored again.
  const repeated = <T>(rows: readonly T[]) => rows.flatMap((row) => Array.from({ length: rounds }, () => row))
  const { requests, texts, created } = expected
  expect(state).toMatchObject({ requests, texts, created, differences: [] })
  expect(state.jobs).toEqual(repeated(expected.jobs))
  expect(state.found).toEqual(repeated(expected.found))
  const pages = rounds * (expected.credits[0]?.pages ?? 0)
  expect(state.credits).toEqual([{ pool_held: 0, open: 0, pages, pool_settled: pages }])
})
