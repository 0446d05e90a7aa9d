import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { startCommand } from '../../cli/command-testing.ts'
import { exitCodes } from '../../cli/exit-codes.ts'
import { failure, startFakeService } from '../../cli/fake-service-testing.ts'
import type { EmbeddedClient } from '../../database/embedded/client.ts'
import { foldAllTopicCounts } from '../../requests/store/topic-counts.ts'
import { countTexts } from '../../requests/words/uncounted-texts.ts'
import { systemClock } from '../../runtime/clock.ts'
import { inspectArchive } from './archive.ts'
import { createBackups } from './backup.ts'
import { listDataDirectory, makeDirectory, readDataDirectory, readRows } from './testing.ts'

// Holds (Data): a backup taken during writes restores every row

const embedded = process.env.TEST_BACKEND === 'embedded'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    ownDatabase: true,
    platforms: platformMap(scriptedPlatform('github', numberedPages(6, 20))),
  })
})
afterAll(() => service.stop())

const admin = () => service.clientFor(service.adminKey)
const environment = () => ({ WISHWELL_URL: service.url, ADMIN_API_KEY: service.adminKey, DATA_DIR: '/nonexistent' })
const backup = (file: string, ...more: string[]) =>
  startCommand(['admin', 'backup', file, ...more], environment()).finished
const restore = (file: string, dataDir: string) =>
  startCommand(['admin', 'restore', file, '--yes', '--json'], { DATA_DIR: dataDir }).finished
const workLeft = () => listDataDirectory(service.config.dataDir).filter((name) => name.startsWith('.wishwell-work-'))

/** Begins a download and reads only its first bytes. */
async function beginDownload() {
  const controller = new AbortController()
  const headers = { authorization: `Bearer ${service.adminKey}` }
  const response = await fetch(`${service.url}/api/admin/backup`, { headers, signal: controller.signal })
  const reader = response.body!.getReader()
  await reader.read()
  return { status: response.status, reader, abort: () => controller.abort() }
}

describe.runIf(embedded)('a backup of the embedded database', () => {
  it('contains every row of one moment, also under concurrent writes', {
    timeout: 60_000,
  }, async () => {
    const directory = makeDirectory()
    const file = join(directory, 'wishwell.tar.gz')
    const acknowledged: string[] = []
    let ended = false
    const write = async () => {
      while (!ended) {
        const { accountId, client } = await service.createAccount('free')
        await client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 5 })
        acknowledged.push(accountId)
      }
    }
    const writing = write()
    onTestFinished(() => {
      ended = true
    })
    await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(5)
    const before = [...acknowledged]
    const saved = await backup(file, '--json')
    ended = true
    await writing
    expect(saved).toMatchObject({ exitCode: exitCodes.ok, stderr: '' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(acknowledged.length).toBeGreaterThan(before.length)

    const dataDir = join(directory, 'restored')
    expect(await restore(file, dataDir)).toMatchObject({ exitCode: exitCodes.ok, stderr: '' })
    expect(listDataDirectory(dataDir)).toEqual(['database'])
    const restored = await readDataDirectory(dataDir)
    const holds = (accountId: string) => restored.accounts?.some((row) => row.includes(accountId))
    expect(before.filter((accountId) => !holds(accountId))).toEqual([])
    // Each account is made with its key and charged with its job, in one transaction each: none is there by half.
    expect(restored.api_keys).toHaveLength(restored.accounts!.length)
    expect(restored.credit_reservations).toHaveLength(restored.scrape_jobs!.length)
    const { tables } = JSON.parse(saved.stdout).data
    expect(tables.credit_entries.rows).toBe(restored.credit_entries?.length)
  })

  it('restores to exactly the rows that were backed up', { timeout: 120_000 }, async () => {
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 6 })
    await service.client.waitForJob(body.data.jobId, 60_000)
    const directory = makeDirectory()
    const file = join(directory, 'wishwell.tar.gz')
    const idle = () =>
      service.database.selectFrom('scrape_tasks').select('id').where('state', 'in', ['pending', 'running'])
    await expect.poll(async () => (await idle().execute()).length, { timeout: 60_000 }).toBe(0)
    // Else the words and the topic of the last page may be counted between the two readings.
    await countTexts(service.database)
    await foldAllTopicCounts(service.database)
    const live = await readRows(service.database)
    expect((await backup(file)).stdout).toMatch(/^Saved .*wishwell\.tar\.gz: \d+ accounts?, \d+ MB unpacked\.\n/)
    const dataDir = join(directory, 'restored')
    await restore(file, dataDir)
    expect(Object.keys(live)).toEqual(expect.arrayContaining(['accounts', 'credit_entries', 'requests']))
    expect(live.requests!.length).toBeGreaterThan(100)
    expect(await readDataDirectory(dataDir)).toEqual(live)
  })

  it('contains no admin key, and nothing of an older backup file', async () => {
    const file = join(makeDirectory(), 'wishwell.tar.gz')
    writeFileSync(file, 'an older file')
    writeFileSync(`${file}.partial`, 'what a killed command left', { mode: 0o666 })
    const { dataDir } = service.config
    writeFileSync(join(dataDir, 'admin-key'), 'the admin key of this directory')
    expect((await backup(file)).exitCode).toBe(exitCodes.ok)
    expect(existsSync(`${file}.partial`)).toBe(false)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { files } = await inspectArchive(file)
    expect(files).toBeGreaterThan(500)
    const restored = join(makeDirectory(), 'restored')
    await restore(file, restored)
    expect(listDataDirectory(restored)).toEqual(['database'])
  })

  it('deletes its copy when the reader disconnects, and the next backup succeeds', async () => {
    const download = await beginDownload()
    expect(workLeft()).toHaveLength(1)
    const second = await admin().get('/api/admin/backup')
    expect([second.status, second.body.error.code]).toEqual([409, 'CONFLICT'])
    download.abort()
    await expect.poll(workLeft, { timeout: 15_000 }).toEqual([])
    const next = await beginDownload()
    expect(next.status).toBe(200)
    for (;;) if ((await next.reader.read()).done) break
    await expect.poll(workLeft, { timeout: 15_000 }).toEqual([])
  })

  it('that fails at its beginning blocks neither the next backup nor the shutdown', async () => {
    const [clock, log] = [systemClock, pino({ level: 'silent' })]
    const backups = createBackups({ embedded: {} as EmbeddedClient, dataDir: '/nonexistent', clock, log })
    for (let attempt = 0; attempt < 2; attempt++) await expect(backups.create()).rejects.toThrow('ENOENT')
    await backups.stop()
  })

  it('is refused for a HEAD and without the admin key', async () => {
    const headers = { authorization: `Bearer ${service.adminKey}` }
    expect((await fetch(`${service.url}/api/admin/backup`, { method: 'HEAD', headers })).status).toBe(404)
    expect((await service.client.get('/api/admin/backup')).status).toBe(401)
    expect(workLeft()).toEqual([])
  })

  it('that is not read does not block the shutdown, and the next start deletes what a crash left', async () => {
    await beginDownload()
    const { dataDir } = service.config
    mkdirSync(join(dataDir, '.wishwell-work-crashed', 'database'), { recursive: true })
    mkdirSync(join(dataDir, 'database.restored'))
    mkdirSync(join(dataDir, 'backup-of-mine'))
    await service.restart()
    expect(listDataDirectory(dataDir)).toEqual(expect.arrayContaining(['backup-of-mine', 'database']))
    expect(workLeft()).toEqual([])
    expect(existsSync(join(dataDir, 'database.restored'))).toBe(false)
    expect((await service.client.search('a')).status).toBe(200)
  })
})

describe.runIf(!embedded)('a backup with DATABASE_URL', () => {
  it('is refused with the way to do it', async () => {
    const file = join(makeDirectory(), 'wishwell.tar.gz')
    const { exitCode, stderr } = await backup(file)
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toBe('wishwell: The data of this service is in Postgres: back it up with pg_dump.\n')
    expect(existsSync(`${file}.partial`) || existsSync(file)).toBe(false)
    const restored = await startCommand(['admin', 'restore', file, '--yes'], {
      DATABASE_URL: service.config.databaseUrl ?? '',
      ADMIN_API_KEY: service.adminKey,
    }).finished
    expect(restored.exitCode).toBe(exitCodes.usage)
    expect(restored.stderr).toContain('use pg_restore or psql')
  })
})

describe('a backup that arrives incomplete', () => {
  /** A service that answers with the first half of an archive and then ends well, or breaks off. */
  async function startHalfway(archive: Buffer, end: 'well' | 'badly'): Promise<string> {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/gzip' })
      response.write(archive.subarray(0, archive.length / 2), () => {
        if (end === 'well') response.end()
        else response.destroy()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it.runIf(embedded).each(['well', 'badly'] as const)(
    'is detected when the answer ends %s, and the older file stays',
    async (end) => {
      const directory = makeDirectory()
      const whole = join(directory, 'whole.tar.gz')
      await backup(whole)
      const url = await startHalfway(readFileSync(whole), end)
      const file = join(directory, 'wishwell.tar.gz')
      writeFileSync(file, 'an older backup')
      const { exitCode, stderr } = await startCommand(['admin', 'backup', file], {
        ...environment(),
        WISHWELL_URL: url,
      }).finished
      expect(exitCode).toBe(end === 'well' ? exitCodes.failed : exitCodes.unreachable)
      expect(stderr).toMatch(end === 'well' ? /it is incomplete/ : /was cut off/)
      expect(readFileSync(file, 'utf8')).toBe('an older backup')
      expect(existsSync(`${file}.partial`)).toBe(false)
    },
  )

  it('fails when the service fails', async () => {
    const { url } = await startFakeService(() => failure(503, 'UNAVAILABLE', 'There is no room.'))
    const file = join(makeDirectory(), 'wishwell.tar.gz')
    const { exitCode, stderr } = await startCommand(['admin', 'backup', file], { ...environment(), WISHWELL_URL: url })
      .finished
    expect([exitCode, stderr]).toEqual([exitCodes.failed, 'wishwell: There is no room.\n'])
    expect(existsSync(file)).toBe(false)
  })

  it('fails when its file cannot be written', async () => {
    const { exitCode, stderr } = await backup('/nonexistent/wishwell.tar.gz')
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toMatch(/^wishwell: .*\/nonexistent\/wishwell\.tar\.gz/)
  })
})
