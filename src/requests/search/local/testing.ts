import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { facetNames } from '../engine.ts'
import { openSearchIndex, type SearchIndex } from '../search-index.ts'
import { findIds } from '../testing.ts'
import { newIdentity, writeIdentity } from './identity.ts'
import { createLocalIndex, indexIn, type LocalIndex, type LocalIndexOptions } from './local-index.ts'
import { createLocalSearch } from './local-search.ts'
import { openStore } from './store.ts'

// Indexes of processes beside one database, for tests.

export interface RunningIndex {
  index: LocalIndex
  search: SearchIndex
  dataDir: string
}

/** Searches of tests wait for the changes also where the machine is busy: then the usual wait ends before they are written. */
const patientMs = 20_000

const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' })

/** A database, and a directory for indexes beside it. Call `close` in `afterAll`. */
export async function openIndexes() {
  const opened: TestDatabase = await openTestDatabase()
  const base = await openSearchIndex(opened.database)
  const scratch = mkdtempSync(join(tmpdir(), 'wishwell-local-'))
  const running = new Set<LocalIndex>()
  const made = join(scratch, 'made')
  mkdirSync(made)
  await (await openStore(made, () => {})).close()

  const emptyDirectory = () => mkdtempSync(join(scratch, 'data-'))
  /** A data directory with an index that has no requests yet: to make its database takes seconds. */
  const makeDataDir = () => {
    const dataDir = emptyDirectory()
    mkdirSync(indexIn(dataDir), { mode: 0o700 })
    cpSync(join(made, 'database'), join(indexIn(dataDir), 'database'), { recursive: true })
    writeIdentity(indexIn(dataDir), newIdentity())
    return dataDir
  }
  const run = (options: Partial<LocalIndexOptions> = {}): RunningIndex => {
    const { dataDir = makeDataDir() } = options
    const index = createLocalIndex({ database: opened.database, dataDir, log, ...options })
    running.add(index)
    index.start()
    return { index, search: createLocalSearch(base, index, { followMs: patientMs }), dataDir }
  }
  const isReady = ({ index }: RunningIndex) =>
    expect.poll(() => index.status().state, { timeout: 100_000, interval: 20 }).toBe('ready')
  const stop = async ({ index }: RunningIndex) => {
    running.delete(index)
    await index.stop()
  }
  return {
    opened,
    base,
    emptyDirectory,
    run,
    isReady,
    runReady: async (options: Partial<LocalIndexOptions> = {}): Promise<RunningIndex> => {
      const started = run(options)
      await isReady(started)
      return started
    },
    stop,
    stopAll: async () => {
      for (const index of running) await index.stop()
      running.clear()
    },
    /** Compares all that two searches answer exactly: the index, and the database itself. */
    expectSameAnswers: async ({ search }: RunningIndex, queries: readonly string[]): Promise<void> => {
      expect(search.kind).toBe('local')
      for (const query of queries) {
        for (const sortBy of ['votes', 'new'] as const) {
          const input = { query, sortBy }
          expect(await findIds(search, opened.database, input)).toEqual(await findIds(base, opened.database, input))
        }
        const input = { query, facets: facetNames }
        expect(await search.totals(opened.database, input)).toEqual(await base.totals(opened.database, input))
      }
      expect(search.kind).toBe('local')
    },
    close: async () => {
      await opened.close()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

export type Indexes = Awaited<ReturnType<typeof openIndexes>>
