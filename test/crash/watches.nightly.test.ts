import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { openDatabase } from '../../src/database/open.ts'
import { createRandom } from '../../src/platform-simulator/random.ts'
import { campaignSize } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { createTestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'
import { checkMonth, makeWatches, monthStart, stepsOf } from '../watched-month/month.ts'

// kill -9 at random statements of a month of watches: every instant has one run or one reason, every end of a job and every skip one event with an id.
// Embedded only, as crash-points.nightly.test.ts: on Postgres a dead worker is given up after half a minute.

const embedded = process.env.TEST_BACKEND === 'embedded'
const kills = campaignSize('WATCH_KILLS', { quick: 3, nightly: 50 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const adminKey = 'admin-key-of-the-crash-test'
const program = fileURLToPath(new URL('watching-service.ts', import.meta.url))
const children: ChildProcess[] = []
let copy: DatabaseCopy | undefined

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await copy?.remove()
})

async function start(now: Date) {
  const environment = {
    DATA_DIR: copy?.options.dataDir,
    ADMIN_API_KEY: adminKey,
    PLATFORMS: 'github,hackernews',
    PORT: '0',
    FAKE_NOW: now.toISOString(),
    ...childEnvironment,
  }
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
    stop: async () => {
      child.send('stop')
      await ended
    },
  }
}

it.runIf(embedded)(
  `loses and doubles no run and no event of a month of watches after ${kills} kills`,
  { timeout: 1_800_000 },
  async () => {
    console.log(`kill -9 of watches: seed ${seed} (set TEST_SEED to repeat it)`)
    copy = await copyDatabase()
    const random = createRandom(seed)
    let service = await start(monthStart)
    const accountOf = async (tier: string) => {
      const { body } = await service.clientOf(adminKey).post('/api/admin/accounts', { name: tier, tier })
      return service.clientOf(body.data.apiKey)
    }
    const planned = await makeWatches(
      kills > 10 ? 14 : 6,
      { rich: [await accountOf('max')], poor: await accountOf('free') },
      random,
    )
    const steps = stepsOf(planned)
    let died = 0
    for (const step of steps) {
      const isKilled = died < kills && random.next() < (3 * kills) / steps.length
      // A run takes some forty statements.
      if (await service.comeTo(step, isKilled ? random.integer(1, 40) : 0)) continue
      died += 1
      service = await start(step)
      expect(await service.comeTo(step, 0)).toBe(true)
    }
    await service.stop()
    expect(died).toBe(kills)
    const onCrash = (error: Error) => {
      throw error
    }
    const { database, close } = await openDatabase({ ...copy.options, onCrash })
    await checkMonth(database, planned).finally(close)
  },
)
