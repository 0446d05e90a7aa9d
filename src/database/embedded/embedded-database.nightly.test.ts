import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from '../../../test/child-environment.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { openDatabase } from '../open.ts'
import { databaseIn } from './data-directory.ts'

// Holds (Data): creating a database takes less than 600 MB and leaves a complete one or none

const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
const tellPeak = "data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))"

describe('the embedded database', () => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await openTestDatabase({ ownDatabase: true })
  })
  afterAll(() => opened.close())

  it('does not leak memory with its answers', { timeout: 120_000 }, async () => {
    const client = opened.embedded!
    const read = (count: number) =>
      Promise.all(Array.from({ length: count }, () => client.query('select repeat($1, 100000) as text', ['x'])))
    for (let batch = 0; batch < 20; batch++) await read(25)
    const before = process.memoryUsage.rss()
    for (let batch = 0; batch < 320; batch++) await read(25)
    // 800 MB went through. A leak keeps all of it; garbage that is not collected yet was up to 452 MB.
    expect((process.memoryUsage.rss() - before) / 1e6).toBeLessThan(600)
  })
})

// Only the embedded database is made by Wishwell.
describe('a new database', () => {
  let dataDir: string
  beforeEach(() => {
    const directory = mkdtempSync(join(tmpdir(), 'wishwell-creation-'))
    dataDir = directory
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  })

  it('is made and migrated with less than 600 MB in any process', { timeout: 300_000 }, async () => {
    const flags = ['--disable-warning=ExperimentalWarning', '--import', tellPeak]
    // V8 optimizes at once instead of in the background, so that the memory for it is always part of the peak.
    const child = spawn(process.execPath, [...flags, '--wasm-sync-tier-up', main, 'admin', 'migrate', '--json'], {
      env: { ...childEnvironment, DATA_DIR: dataDir, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [said, failed] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    expect(JSON.parse(said), failed).toMatchObject({ database: 'embedded', search: 'bm25' })
    expect(Number(/^peak (\d+)$/m.exec(failed)?.[1]) / 1024).toBeLessThan(600)
  })

  it('is made anew when the last start ended before it was complete', { timeout: 120_000 }, async () => {
    mkdirSync(join(databaseIn(dataDir), 'base'), { recursive: true })
    writeFileSync(join(databaseIn(dataDir), 'postgresql.conf'), 'half of')
    const onCrash = (error: Error) => {
      throw error
    }
    const { embedded, close } = await openDatabase({ databaseUrl: undefined, dataDir, onCrash })
    const { rows } = (await embedded?.query<{ one: number }>('select 1 as one')) ?? {}
    await close()
    expect(rows).toEqual([{ one: 1 }])
    expect(readdirSync(dataDir).sort()).toEqual(['database', 'lock.db'])
  })
})
