import { createReadStream, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { startCommand } from '../../src/cli/command-testing.ts'
import { openDump } from '../../src/operations/moving/dump-format.ts'
import {
  environmentOf,
  makeFilledDatabase,
  newDatabase,
  newDataDirectory,
  type Place,
  readPlace,
  withDatabase,
} from '../../src/operations/moving/testing.ts'
import { campaignSize } from '../campaign-size.ts'
import { emptyDatabase } from '../database.ts'
import { changeRequests } from '../stored-requests.ts'

// Holds (Data): a killed `restore-dump` leaves an empty database, a killed `dump` no file that looks complete

// kill -9 of dump and restore-dump at any moment: no half of a dump gets its name, no half of it is restored, and the same command begins anew.

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

/** Runs a command, and kills it: once when it has begun to report rows, then after random shares of the time that it takes. */
async function kill(
  parameters: string[],
  place: Place,
  { takesMs, random, afterEach }: { takesMs: number; random: { next(): number }; afterEach: () => Promise<void> },
) {
  for (let number = 0; number < kills; number++) {
    const command = startCommand(parameters, environmentOf(place))
    await (number === 0 ? command.seen(' of ') : sleep(random.next() * takesMs))
    command.kill('SIGKILL')
    await command.finished
    await afterEach()
  }
}

const timed = async (parameters: string[], place: Place) => {
  const since = performance.now()
  expect(await startCommand(parameters, environmentOf(place)).finished).toMatchObject({ exitCode: 0 })
  return performance.now() - since
}

/** How many rows are where a killed command should have left none; a directory that it had not made yet has none either. */
const countAccounts = (place: Place) =>
  withDatabase(place, async ({ opened: { database } }) => {
    const { rows } = await sql<{ count: number }>`
      select (select count(*) from accounts) + (select count(*) from requests) as count`.execute(database)
    return rows[0]?.count
  })

describe('kill -9', () => {
  it(`${kills} times during dump leaves no dump, and ${kills} times during restore-dump an empty database`, {
    timeout: 600_000,
  }, async () => {
    console.log(`kill -9 of dump and restore-dump: seed ${seed} (set TEST_SEED to repeat it)`)
    const random = createRandom(seed)
    const { place: source, remove } = await makeFilledDatabase()
    onTestFinished(remove)
    await addRequests(source, 3_000)
    const before = await readPlace(source)
    const file = join(source.dataDir, '..', 'data.dump')

    const dumpMs = await timed(['admin', 'dump', join(source.dataDir, '..', 'reference.dump')], source)
    let whole = 0
    await kill(['admin', 'dump', file], source, {
      takesMs: dumpMs,
      random,
      afterEach: async () => {
        // One that was killed after its last write has its name, and is whole.
        if (!existsSync(file)) return
        const { rows } = await openDump(createReadStream(file))
        while (!(await rows.next()).done);
        whole++
        rmSync(file, { force: true })
      },
    })
    expect(whole).toBeLessThan(kills)
    await timed(['admin', 'dump', file], source)
    expect(await readPlace(source)).toEqual(before)

    const restoreMs = await timed(['admin', 'restore-dump', file], newDataDirectory())
    const target = await newDatabase()
    let restored = 0
    await kill(['admin', 'restore-dump', file], target, {
      takesMs: restoreMs,
      random,
      afterEach: async () => {
        const rows = await countAccounts(target)
        if (rows === 0) return
        // Killed after its commit: then all of it is there,
        expect(await readPlace(target)).toEqual(before)
        restored++
        await withDatabase(target, ({ opened: { database } }) => emptyDatabase(database))
      },
    })
    expect(restored).toBeLessThan(kills)
    await timed(['admin', 'restore-dump', file], target)
    expect(await readPlace(target)).toEqual(before)
  })
})
