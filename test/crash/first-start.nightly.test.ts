import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { startCommand } from '../../src/cli/command-testing.ts'

// Holds (Data): a first start killed at any moment does not block the next one

// kill -9 of a first start, at random moments: the next one makes the database anew, or goes on with it, and takes no longer for it.
// The files of a database appear within a moment at the end of its making, so every second kill aims at that: when so many are there.
//   FIRST_START_ROUNDS=40 TEST_SEED=1 …: so many rounds.

const rounds = Number(process.env.FIRST_START_ROUNDS ?? 2)
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))

/** Of a database that has just been made there are about a thousand. */
const filesOfDatabase = 990

const directories: string[] = []
const newDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-first-'))
  directories.push(directory)
  return join(directory, 'data')
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

const migrate = (dataDir: string) =>
  startCommand(['admin', 'migrate', '--json'], { DATA_DIR: dataDir, LOG_LEVEL: 'error' })

/** Polls without a pause: the files come within some hundred milliseconds. */
async function waitForFiles(dataDir: string, count: number): Promise<void> {
  const directory = join(dataDir, 'database')
  while (!existsSync(directory)) await sleep(5)
  while (readdirSync(directory, { recursive: true }).length < count) await setImmediate()
}

/** How far a first start came, by what lies in its directory. */
function describeState(dataDir: string): string {
  try {
    const names = readdirSync(dataDir, { recursive: true }).map(String)
    return `${names.length} files${names.includes('database/PG_VERSION') ? '' : ', unfinished'}`
  } catch {
    return 'nothing'
  }
}

it(`starts after ${rounds} first starts that were killed`, {
  timeout: 180_000 + rounds * 180_000,
}, async () => {
  console.log(`kill -9 of first starts: ${rounds} rounds, seed ${seed} (set TEST_SEED to repeat it)`)
  const random = createRandom(seed)
  const time = async (dataDir: string) => {
    const startedAt = performance.now()
    const { exitCode, stderr } = await migrate(dataDir).finished
    expect([exitCode, stderr]).toEqual([0, ''])
    return Math.round(performance.now() - startedAt)
  }
  const undisturbedMs = await time(newDirectory())
  const timings: number[] = []
  for (let round = 0; round < rounds; round++) {
    const dataDir = newDirectory()
    const command = migrate(dataDir)
    const place = random.next()
    if (round % 2 === 0) await waitForFiles(dataDir, Math.round(place * filesOfDatabase))
    else await sleep(place * undisturbedMs)
    command.kill('SIGKILL')
    await command.finished
    const state = describeState(dataDir)
    timings.push(await time(dataDir))
    console.log(`killed with ${state}: the next start took ${timings.at(-1)} ms`)
    rmSync(dataDir, { recursive: true })
  }
  console.log(`undisturbed ${undisturbedMs} ms, after a kill at most ${Math.max(...timings)} ms`)
})
