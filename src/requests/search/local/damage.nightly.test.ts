import { cpSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { campaignSize } from '../../../../test/campaign-size.ts'
import type { TestDatabase } from '../../../../test/database.ts'
import { store, syntheticRow } from '../testing.ts'
import { readIdentity, writeIdentity } from './identity.ts'
import { indexIn } from './local-index.ts'
import { type Indexes, openIndexes } from './testing.ts'

// What a search index does when its files are damaged while no process has it open.

const damages = campaignSize('LOCAL_INDEX_DAMAGES', { quick: 4, nightly: 40 })

let indexes: Indexes
let opened: TestDatabase

describe('a damaged search index', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    indexes = await openIndexes()
    opened = indexes.opened
  }, 300_000)
  beforeEach(() => opened.reset())
  afterEach(() => indexes.stopAll(), 120_000)
  afterAll(() => indexes.close())

  const filesOf = (dataDir: string) =>
    readdirSync(join(indexIn(dataDir), 'database', 'base'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name))
      .filter((path) => statSync(path).size >= 16_384)

  const ways: [string, (dataDir: string) => void][] = [
    ['lost its description', (dataDir) => writeFileSync(join(indexIn(dataDir), 'database.index.json'), '{"form')],
    ['lost a directory', (dataDir) => rmSync(join(indexIn(dataDir), 'database', 'base'), { recursive: true })],
    ['lost its log', (dataDir) => rmSync(join(indexIn(dataDir), 'database', 'pg_wal'), { recursive: true })],
    [
      'is of another version',
      (dataDir) => writeIdentity(indexIn(dataDir), { ...readIdentity(indexIn(dataDir))!, schemaVersion: 3 }),
    ],
    [
      'was open when the machine ended',
      (dataDir) =>
        writeIdentity(indexIn(dataDir), {
          ...readIdentity(indexIn(dataDir))!,
          unflushed: { since: 0, machineStart: 'before' },
        }),
    ],
    [
      'lost the ends of all files',
      (dataDir) => {
        for (const path of filesOf(dataDir)) truncateSync(path, statSync(path).size - 8_192)
      },
    ],
    [
      'is full of noise',
      (dataDir) => {
        for (const path of filesOf(dataDir)) writeFileSync(path, Buffer.alloc(statSync(path).size, 'noise'))
      },
    ],
  ]
  it.each(ways)('is thrown away and built anew when it %s', { timeout: 120_000 }, async (_way, damage) => {
    await store(
      opened.database,
      Array.from({ length: 400 }, (_, number) => syntheticRow(number)),
    )
    const first = await indexes.runReady()
    await indexes.stop(first)
    damage(first.dataDir)
    const second = await indexes.runReady({ dataDir: first.dataDir })
    await indexes.expectSameAnswers(second, ['everywhere', 'minority', 'needle', 'row77'])
  })

  it('never answers less than the database when any table of it lost its end', { timeout: 1_200_000 }, async () => {
    await store(
      opened.database,
      Array.from({ length: 400 }, (_, number) => syntheticRow(number)),
    )
    const first = await indexes.runReady()
    await indexes.stop(first)
    const whole = join(indexes.emptyDirectory(), 'whole')
    cpSync(indexIn(first.dataDir), whole, { recursive: true })
    const own = Object.keys(readIdentity(whole)!.files).filter(
      (path) => statSync(join(whole, 'database', path)).size > 0,
    )
    expect(own.length).toBeGreaterThan(8)
    for (let number = 0; number < damages; number++) {
      const dataDir = indexes.emptyDirectory()
      cpSync(whole, indexIn(dataDir), { recursive: true })
      const path = own[(number * 5) % own.length]!
      truncateSync(join(indexIn(dataDir), 'database', path), 8_192 * Math.floor(number / own.length))
      const again = await indexes.runReady({ dataDir })
      await indexes.expectSameAnswers(again, ['everywhere', 'minority', 'needle', 'row77'])
      await indexes.stop(again)
      await sql`delete from search_consumers where name <> ${readIdentity(whole)!.consumer}`.execute(opened.database)
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
