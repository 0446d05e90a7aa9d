import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../open.ts'
import { DataDirectoryInUseError, lockDataDirectory } from './lock.ts'

// Holds (Data): two processes never share a data directory

let directory: string
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'wishwell-lock-')), 'data')
})
afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }))

/** Another process that holds the lock until it is killed. */
async function startHolder() {
  const file = new URL('./lock.ts', import.meta.url).href
  const script = `const { lockDataDirectory } = await import(${JSON.stringify(file)});
    globalThis.lock = lockDataDirectory(${JSON.stringify(directory)}); console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script])
  const exited = new Promise((resolve) => child.on('exit', resolve))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

describe('the lock of a data directory', () => {
  it('refuses a second process with advice, and is free the moment the first one dies', async () => {
    const holder = await startHolder()
    expect(() => lockDataDirectory(directory)).toThrow(DataDirectoryInUseError)
    expect(() => lockDataDirectory(directory)).toThrow(`data directory ${directory}. Stop it first`)
    await holder.kill()
    lockDataDirectory(directory).release()
  })

  it('refuses a second opener before it changes the database', async () => {
    const lock = lockDataDirectory(directory)
    const onCrash = () => {}
    await expect(openDatabase({ databaseUrl: undefined, dataDir: directory, onCrash })).rejects.toThrow(
      DataDirectoryInUseError,
    )
    lock.release()
    lockDataDirectory(directory).release()
  })

  it('makes the directory for its owner only', () => {
    lockDataDirectory(directory).release()
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })
})
