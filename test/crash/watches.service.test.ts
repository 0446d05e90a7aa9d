import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { readConfig } from '../../src/app/config.ts'
import { campaignSize, crashSeed } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { createTestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'
import { checkMonth, makeWatches, monthStart, stepsOf } from '../watched-month/month.ts'
import { startWatching } from './watching.ts'

// Holds (Watches, news and channels): each instant of a watch has one run or one recorded reason, despite clocks, kills and processes

// kill -9 at random statements of a month of watches: every instant has one run or one reason, every end of a job and every skip one event with an id.
// Embedded only, as jobs.service.test.ts: on Postgres a dead worker is given up after half a minute. In `npm test` the statements are always the same.

const isCampaign = process.env.TEST_NIGHTLY !== undefined
const seed = crashSeed()
/** In `npm test`: at which of the month's runs, and at which of its statements, of which a run takes some forty. */
const fixedKills: ReadonlyMap<number, number> = new Map([
  [3, 8],
  [12, 30],
])
const kills = campaignSize('WATCH_KILLS', { quick: fixedKills.size, nightly: 50 })
const adminKey = 'admin-key-of-the-crash-test'
const program = fileURLToPath(new URL('watching-service.ts', import.meta.url))
const children: ChildProcess[] = []
let copy: DatabaseCopy | undefined

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await copy?.remove()
})

const environmentOfService = () => ({
  DATA_DIR: copy?.options.dataDir,
  ADMIN_API_KEY: adminKey,
  PLATFORMS: 'github,hackernews',
  PORT: '0',
})

async function start(now: Date) {
  const environment = { ...environmentOfService(), FAKE_NOW: now.toISOString(), ...childEnvironment }
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const child = fork(program, { env: environment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  children.push(child)
  const ended = once(child, 'exit').then(() => null)
  const nextMessage = () => Promise.race([once(child, 'message').then(([message]) => message), ended])
  const started: { url: string } | null = await nextMessage()
  if (started === null) throw new Error('the service ended before it ran')
  return {
    clientOf: (apiKey: string) => createTestClient(() => started.url, apiKey),
    /** @returns false when the service has died. */
    comeTo: async (at: Date, dieAfter: number): Promise<boolean> => {
      const answer = nextMessage()
      // The callback takes the error of a channel that the child's death has closed.
      child.send({ at: at.toISOString(), dieAfter }, () => {})
      return (await answer) !== null
    },
  }
}

/** After the last kill no process is needed. */
async function startHere(now: Date) {
  const { service, comeTo } = await startWatching(readConfig(environmentOfService()), now.toISOString())
  onTestFinished(() => service.stop())
  return { comeTo: (at: Date) => comeTo(at.toISOString()).then(() => true), database: service.database.database }
}

it(`loses and doubles no run and no event of a month of watches after ${kills} kills`, {
  timeout: 1_800_000,
}, async () => {
  console.log(`kill -9 of watches: seed ${seed} (set TEST_SEED to repeat it)`)
  copy = await copyDatabase()
  const random = createRandom(seed)
  const { clientOf, ...first } = await start(monthStart)
  let service: Pick<typeof first, 'comeTo'> = first
  let last: Awaited<ReturnType<typeof startHere>> | undefined
  const accountOf = async (tier: string) => {
    const { body } = await clientOf(adminKey).post('/api/admin/accounts', { name: tier, tier })
    return clientOf(body.data.apiKey)
  }
  const planned = await makeWatches(
    isCampaign ? 14 : 1,
    { rich: [await accountOf('max')], poor: await accountOf('free') },
    random,
  )
  const steps = stepsOf(planned)
  let died = 0
  for (const [index, step] of steps.entries()) {
    const isKilled = died < kills && random.next() < (3 * kills) / steps.length
    const dieAfter = isCampaign ? (isKilled ? random.integer(1, 40) : 0) : (fixedKills.get(index) ?? 0)
    if (await service.comeTo(step, dieAfter)) continue
    died += 1
    if (died === kills) last = await startHere(step)
    service = last ?? (await start(step))
    expect(await service.comeTo(step, 0)).toBe(true)
  }
  expect(died).toBe(kills)
  await checkMonth(last!.database, planned)
})
