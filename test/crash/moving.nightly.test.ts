import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startCommand } from '../../src/cli/command-testing.ts'
import {
  environmentOf,
  makeFilledDatabase,
  newDatabase,
  newDataDirectory,
  type Place,
  readPlace,
  withDatabase,
} from '../../src/moving/testing.ts'
import { createRandom } from '../../src/platform-simulator/random.ts'
import { campaignSize } from '../campaign-size.ts'
import { changeRequests } from '../stored-requests.ts'

// kill -9 of an export and of an import at any moment: the same command goes on, and the rows are the same in the end.

const kills = campaignSize('MOVING_KILLS', { quick: 3, nightly: 12 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))

/** Enough rows for some seconds of work. */
const addRequests = (place: Place, count: number) =>
  withDatabase(place, async ({ opened: { database } }) => {
    await changeRequests(
      database,
      sql`
      insert into requests (confidence, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at)
      select 1, 'github', 'crash/' || number, 'Title ' || number, repeat(md5(number::text), 30), number % 50, array['tag'], 'https://example.org',
        'topic', now(), now()
      from generate_series(1, ${count}::integer) as number`,
    )
    await changeRequests(
      database,
      sql`
      insert into request_texts (request_id, text) select id, lower(title || ' ' || left(description, 200)) from requests
      where source_id like 'crash/%'`,
    )
  })

/** Runs a command, and kills it: once when it has begun to report rows, then after random shares of the time that it takes. Then once to its end. */
async function runWithKills(parameters: string[], place: Place, takesMs: number, random: { next(): number }) {
  for (let kill = 0; kill < kills; kill++) {
    const command = startCommand(parameters, environmentOf(place))
    await (kill === 0 ? command.seen('ported ') : sleep(random.next() * takesMs))
    command.kill('SIGKILL')
    await command.finished
  }
  return startCommand(parameters, environmentOf(place)).finished
}

describe('kill -9', () => {
  it(`${kills} times during an export and ${kills} times during an import loses and doubles no row`, {
    timeout: 600_000,
  }, async () => {
    console.log(`kill -9 of exports and imports: seed ${seed} (set TEST_SEED to repeat it)`)
    const random = createRandom(seed)
    const { place: source, remove } = await makeFilledDatabase()
    onTestFinished(remove)
    await addRequests(source, 3_000)
    const before = await readPlace(source)
    const file = join(source.dataDir, '..', 'data.dump')
    const reference = join(source.dataDir, '..', 'reference.dump')

    const exportSince = performance.now()
    expect(await startCommand(['export', '--all', reference], environmentOf(source)).finished).toMatchObject({
      exitCode: 0,
    })
    const exportMs = performance.now() - exportSince
    expect(await runWithKills(['export', '--all', file], source, exportMs, random)).toMatchObject({ exitCode: 0 })
    expect(existsSync(`${file}.partial`)).toBe(false)
    // The headers have the times of the exports.
    const rowsOf = (name: string) => readFileSync(name).subarray(-1_000)
    expect(rowsOf(file).equals(rowsOf(reference))).toBe(true)
    expect(await readPlace(source)).toEqual(before)

    const scratch = newDataDirectory()
    const importSince = performance.now()
    expect(await startCommand(['import', file], environmentOf(scratch)).finished).toMatchObject({ exitCode: 0 })
    const importMs = performance.now() - importSince
    const target = await newDatabase()
    const imported = await runWithKills(['import', file, '--json'], target, importMs, random)
    expect(imported).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(imported.stdout).earlierRows).toBeGreaterThan(0)
    expect(await readPlace(target)).toEqual(before)
  })
})
