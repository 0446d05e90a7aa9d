import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { startCommand } from '../../src/cli/command-testing.ts'
import { hasDatabase, tidyDataDirectory } from '../../src/database/embedded/data-directory.ts'
import { listDataDirectory, makeDirectory, readDataDirectory } from '../../src/operations/backup/testing.ts'
import { campaignSize } from '../campaign-size.ts'
import { copyDatabase } from '../database.ts'

// Holds (Data): a restore killed at any step leaves the old database or the new one

// kill -9 at any step of a restore: the old database or the new one is there, whole.

const kills = campaignSize('RESTORE_KILLS', { quick: 2, nightly: 8 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))

/** Runs `installDatabase` in a process of its own that kills itself in place of the given renaming. */
async function installAndDie(dataDir: string, proven: string, renaming: number): Promise<void> {
  const module = new URL('../../src/database/embedded/data-directory.ts', import.meta.url).href
  const script = `
    const { renameSync } = await import('node:fs')
    const { installDatabase } = await import(${JSON.stringify(module)})
    let left = ${renaming}
    installDatabase(${JSON.stringify(dataDir)}, ${JSON.stringify(proven)}, new Date(0), (from, to) => {
      if (left-- === 0) process.kill(process.pid, 'SIGKILL')
      renameSync(from, to)
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
  const signal = await new Promise((resolve) => child.on('exit', (_code, by) => resolve(by)))
  expect(signal).toBe(renaming < 3 ? 'SIGKILL' : null)
}

function makeDatabases(): { dataDir: string; proven: string } {
  const dataDir = makeDirectory()
  const proven = join(dataDir, '.wishwell-work-restore', 'database')
  for (const [directory, content] of [[join(dataDir, 'database'), 'old'] as const, [proven, 'new'] as const]) {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, content), '')
  }
  return { dataDir, proven }
}

describe('kill -9 during a restore', () => {
  it.each([
    [0, 'old'],
    [1, 'old'],
    [2, 'new'],
    [3, 'new'],
  ])('before renaming %i leaves the %s database in its place', async (renaming, expected) => {
    const { dataDir, proven } = makeDatabases()
    await installAndDie(dataDir, proven, renaming)
    expect(hasDatabase(dataDir)).toBe(true)
    tidyDataDirectory(dataDir)
    expect(existsSync(join(dataDir, 'database', expected))).toBe(true)
    const previous = 'database.before-restore-1970-01-01T00-00-00.000Z'
    expect(listDataDirectory(dataDir)).toEqual(expected === 'old' ? ['database'] : ['database', previous])
    if (expected === 'new') expect(existsSync(join(dataDir, previous, 'old'))).toBe(true)
  })

  it(`at ${kills} random moments leaves a database that starts, whole and one of the two`, {
    timeout: 240_000,
  }, async () => {
    console.log(`kill -9 of restores: seed ${seed} (set TEST_SEED to repeat it)`)
    const random = createRandom(seed)
    const copy = await copyDatabase()
    const { dataDir } = copy.options
    const environment = { DATA_DIR: dataDir, WISHWELL_URL: 'http://127.0.0.1:2' }
    const create = (name: string) => startCommand(['admin', 'accounts', 'create', name], environment).finished
    const file = join(makeDirectory(), 'backup.tar.gz')
    expect((await create('in the backup')).exitCode).toBe(0)
    expect(await startCommand(['admin', 'backup', file], environment).finished).toMatchObject({ exitCode: 0 })
    expect((await create('since then')).exitCode).toBe(0)
    const old = await readDataDirectory(dataDir)

    const startedAt = performance.now()
    const scratch = makeDirectory()
    await startCommand(['admin', 'restore', file, '--yes'], { DATA_DIR: scratch }).finished
    const restoreMs = performance.now() - startedAt
    const restored = await readDataDirectory(scratch)
    expect(restored).not.toEqual(old)
    for (let kill = 0; kill < kills; kill++) {
      const command = startCommand(['admin', 'restore', file, '--yes'], environment)
      await sleep(random.next() * restoreMs)
      command.kill('SIGKILL')
      await command.finished
      const state = await readDataDirectory(dataDir)
      expect([old, restored]).toContainEqual(state)
      const extra = listDataDirectory(dataDir).filter((name) => !name.startsWith('database.before-restore-'))
      expect(extra).toEqual(['admin-key', 'database', 'secrets-key'])
    }
    await copy.remove()
  })
})
