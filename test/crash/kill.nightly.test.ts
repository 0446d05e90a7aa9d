import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from '../../src/platform-simulator/random.ts'
import { campaignSize } from '../campaign-size.ts'
import { openCampaign, readState } from './campaign.ts'

// kill -9 at random moments: every job ends, nothing is lost, doubled or charged twice.

const embedded = process.env.TEST_BACKEND === 'embedded'
/** A worker on Postgres is given up only after its heartbeat stops, so a kill there takes half a minute to get over. */
const kills = campaignSize('KILLS', embedded ? { quick: 1, nightly: 20 } : { quick: 1, nightly: 3 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
let campaign: Awaited<ReturnType<typeof openCampaign>>

beforeAll(async () => {
  campaign = await openCampaign()
})
afterAll(() => campaign.close())

it(`ends every job, loses nothing and doubles nothing after ${kills} kills`, { timeout: 300_000 }, async () => {
  console.log(`kill -9 campaign: seed ${seed} (set TEST_SEED to repeat it)`)
  const random = createRandom(seed)
  const { simulator } = campaign
  const expected = await campaign.undisturbedRun(readState)

  const copy = await campaign.newCopy()
  let service = await campaign.start(copy)
  const client = campaign.clientOf(() => service)
  const jobIds = await campaign.startJobs(client)
  const recoveriesMs: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    await sleep(100 + random.next() * 500)
    await service.end('SIGKILL')
    const asked = simulator.requests.length
    service = await campaign.start(copy)
    const runningAt = performance.now()
    await expect.poll(() => simulator.requests.length, { timeout: 45_000, interval: 5 }).toBeGreaterThan(asked)
    recoveriesMs.push(Math.round(performance.now() - runningAt))
  }
  console.log(`work went on after ${recoveriesMs.join(', ')} ms`)
  // The promise: 2 s embedded, 45 s when the heartbeat of another process must run out first. A busy machine delays one
  // recovery or the other, but hardly all.
  expect(Math.min(...recoveriesMs)).toBeLessThan(embedded ? 2_000 : 45_000)

  for (const jobId of jobIds) {
    expect(await client.waitForJob(jobId, 60_000)).toMatchObject({ status: 'completed' })
  }
  expect(await service.end('SIGTERM')).toBe(0)
  const state = await readState(copy)
  expect(state).toEqual(expected)
  expect(state.credits).toMatchObject([{ pool_held: 0, open: 0 }])
  expect(state.differences).toEqual([])
})
