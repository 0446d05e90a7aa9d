import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, inject, it, type TestContext } from 'vitest'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { databaseIn } from '../src/database/embedded/data-directory.ts'
import { openDatabaseFiles } from '../src/database/open.ts'
import { childEnvironment } from './child-environment.ts'
import { startChildService } from './child-service.ts'
import { createTestClient } from './client.ts'

// Holds (Data): an unwritable data directory gives a one-sentence error at the start, and a 503 later

// Data directories in which nothing can be written: that is one sentence at the start, and 503 later.

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const isRoot = process.geteuid?.() === 0

let directory: string
let mounted: boolean
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'wishwell-disk-'))
  chmodSync(directory, 0o755)
  mounted = false
})
afterEach(() => {
  if (mounted) execFileSync('umount', ['--lazy', directory])
  rmSync(directory, { recursive: true, force: true })
})

/** Makes the directory a small disk of its own; where that is not allowed the test is skipped. */
function mountDisk({ skip }: TestContext, size: string): void {
  mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', directory]).status === 0
  skip(!mounted, 'this user may not mount a small disk')
}

/** The directory of the migrated database that tests start from. */
function templateDirectory({ skip }: TestContext): string {
  const template = inject('databaseTemplate')
  return template.backend === 'embedded' ? template.directory : skip('Postgres has disks of its own')
}

/** Starts a process that is to end by itself. */
function serve(dataDir: string, options: { uid?: number; gid?: number } = {}) {
  const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'serve'], {
    ...options,
    encoding: 'utf8',
    timeout: 180_000,
    cwd: '/',
    env: { ...childEnvironment, PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: dataDir },
  })
  return { status, stderr }
}
const sentence = (what: RegExp) => ({
  status: 1,
  // One line, and nothing of where in the code it happened.
  stderr: expect.stringMatching(new RegExp(`^wishwell: The data directory [^\\n]*${what.source}[^\\n]*\\n$`)),
})

/** Fills a disk to its last block, or until only so many bytes are free. @returns the file that has it. */
function fill(freeBytes = 0): string {
  const path = join(directory, 'filling')
  const { bavail, bsize } = statfsSync(directory)
  const file = openSync(path, 'w')
  try {
    if (freeBytes > 0) writeSync(file, Buffer.alloc(Math.max(0, bavail * bsize - freeBytes)))
    for (let size = 1 << 20; size >= 512 && freeBytes === 0; ) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) throw new Error('full')
      } catch {
        size /= 2
      }
    }
  } finally {
    closeSync(file)
  }
  return path
}

describe('a data directory', { timeout: 300_000 }, () => {
  it('below a file, or where no directory can be created, is one sentence and exit code 1', () => {
    writeFileSync(join(directory, 'file'), '')
    expect(serve(join(directory, 'file'))).toEqual(sentence(/is no directory/))
    expect(serve(join(directory, 'file', 'data'))).toEqual(sentence(/is no directory, or lies below a file/))
    expect(serve('/proc/wishwell')).toEqual(sentence(/cannot be made there/))
    expect(serve(join(directory, 'x'.repeat(300)))).toEqual(sentence(/has a name that is too long/))
  })

  it('of somebody else is one sentence and exit code 1', ({ skip }) => {
    skip(!isRoot, 'only root may start a process of another user')
    const user = { uid: 65_534, gid: 65_534 }
    expect(serve(join(directory, 'data'), user)).toEqual(sentence(/may not be used by the user that Wishwell runs as/))
  })

  it('on a disk that can only be read is one sentence and exit code 1', (context) => {
    mountDisk(context, '10m')
    mkdirSync(join(directory, 'data'), { mode: 0o700 })
    execFileSync('mount', ['-o', 'remount,ro', directory])
    expect(serve(join(directory, 'data'))).toEqual(sentence(/cannot be written|can only be read/))
    expect(serve(join(directory, 'other'))).toEqual(sentence(/can only be read/))
  })

  it.for(['64k', '20m'])('on a disk of %s is one sentence and exit code 1', (size, context) => {
    mountDisk(context, size)
    expect(serve(join(directory, 'data'))).toEqual(sentence(/has no room left/))
  })

  it('whose disk is full while the service runs makes it not ready, until there is room again', async (context) => {
    const template = templateDirectory(context)
    mountDisk(context, '300m')
    const dataDir = join(directory, 'data')
    cpSync(template, dataDir, { recursive: true })
    const apiKey = generateApiKey()
    const service = await startChildService({ DATA_DIR: dataDir, BOOTSTRAP_API_KEY: apiKey, PLATFORMS: 'hackernews' })
    try {
      const client = createTestClient(() => service.url, apiKey)
      const readiness = async () => (await client.get('/readyz')).status
      expect(await readiness()).toBe(200)
      const filling = fill()
      // Small writes still find room in files that are there; sooner or later one needs more.
      const name = 'a name that takes its room '.repeat(3)
      const failed: number[] = []
      for (let call = 0; call < 3_000 && failed.length === 0; call++) {
        const { status } = await client.post('/api/v1/keys', { name: `${name}${call}` })
        if (status >= 500) failed.push(status)
      }
      expect(failed).toEqual([503])
      expect(await readiness()).toBe(503)
      expect((await client.get('/healthz')).status).toBe(200)
      expect((await client.search('anything')).status).toBe(200)
      rmSync(filling)
      await expect.poll(readiness, { timeout: 10_000 }).toBe(200)
      expect(await service.end('SIGTERM')).toBe(0)
    } finally {
      await service.end('SIGKILL')
    }
  })

  it('with no room for two files of the log is read only, until there is room again', async (context) => {
    const template = templateDirectory(context)
    mountDisk(context, '160m')
    const dataDir = join(directory, 'data')
    cpSync(template, dataDir, { recursive: true })
    const apiKey = generateApiKey()
    const environment = { DATA_DIR: dataDir, BOOTSTRAP_API_KEY: apiKey, PLATFORMS: 'hackernews' }
    const service = await startChildService(environment)
    try {
      const client = createTestClient(() => service.url, apiKey)
      const write = async () => (await client.post('/api/v1/keys', { name: 'a' })).status
      expect(await write()).toBe(200)
      const filling = fill(30_000_000)
      await expect.poll(write).toBe(503)
      expect((await client.search('anything')).status).toBe(200)
      expect([(await client.get('/readyz')).status, (await client.get('/healthz')).status]).toEqual([503, 200])
      expect(await service.end('SIGTERM')).toBe(0)
      expect(serve(dataDir)).toEqual(sentence(/has no room left: 30 MB are free, and 34 MB are needed/))
      rmSync(filling)
    } finally {
      await service.end('SIGKILL')
    }
    const again = await startChildService(environment)
    try {
      expect((await createTestClient(() => again.url, apiKey).post('/api/v1/keys', { name: 'b' })).status).toBe(200)
      expect(await again.end('SIGTERM')).toBe(0)
    } finally {
      await again.end('SIGKILL')
    }
  })

  it('whose log finds no room ends the database instead of hanging, and has all that was committed', async (context) => {
    const template = templateDirectory(context)
    mountDisk(context, '110m')
    const files = databaseIn(join(directory, 'data'))
    cpSync(databaseIn(template), files, { recursive: true })
    const { promise: crashed, resolve: onCrash } = Promise.withResolvers<Error>()
    const { client } = await openDatabaseFiles(files, { onCrash })
    await client.exec('create table kept as select 1 as value')
    const filling = fill(11_000_000)
    const tooLarge = client.query(
      `select count(pg_logical_emit_message(true, 'filling', repeat('x', 1000000))) from generate_series(1, 40)`,
    )
    await expect(tooLarge).rejects.toThrow()
    expect(await crashed).toMatchObject({
      message: expect.stringMatching(/No space left|no space left/),
      severity: 'PANIC',
    })
    await expect(client.query('select 1')).rejects.toThrow()
    await client.close().catch(() => {})
    rmSync(filling)
    const again = await openDatabaseFiles(files, { onCrash })
    expect((await again.client.query('select value from kept')).rows).toEqual([{ value: 1 }])
    await again.client.close()
  })
})
