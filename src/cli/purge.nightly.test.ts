import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { copyDatabase } from '../../test/database.ts'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { Platform } from '../platforms/platform.ts'
import { startCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

type Environment = Record<string, string>

async function run(environment: Environment, ...parameters: string[]) {
  const finished = await startCommand(parameters, environment).finished
  const isJson = parameters.includes('--json') && finished.stdout !== ''
  return { ...finished, data: isJson ? JSON.parse(finished.stdout).data : null }
}

describe('wishwell admin purge', { timeout: 60_000 }, () => {
  let service: TestService
  const requests = [
    foundRequest('1', { title: 'Penguin \x1b[31mred', authorHandle: 'eve' }),
    ...Array.from({ length: 8 }, (_, index) => foundRequest(`a${index}`)),
  ]
  beforeAll(async () => {
    const platforms = new Map<PlatformName, Platform>()
    platforms.set(
      'github',
      scriptedPlatform('github', () => ({ requests, nextCursor: null })),
    )
    service = await startTestService({ platforms })
  })
  const collect = async () => {
    const { body } = await service.client.scrape({ topic: 'birds' })
    return service.client.waitForJob(body.data.jobId)
  }
  beforeEach(collect)
  afterEach(() => service.reset())
  afterAll(() => service.stop())
  const environment = () => ({ WISHWELL_URL: service.url, ADMIN_API_KEY: service.adminKey, DATA_DIR: '/nonexistent' })
  const purge = (...parameters: string[]) => run(environment(), 'admin', 'purge', ...parameters)
  const stored = async () => (await service.client.get('/api/v1/requests?limit=100')).body.data.results.length

  it('first shows the requests to delete and their number, and with --dry-run does no more', async () => {
    const { exitCode, stdout } = await purge('--author', '@ada', '--dry-run')
    expect(exitCode).toBe(exitCodes.ok)
    expect(stdout).toMatch(/^8 requests to delete \(github 8\):\n {2}Request a\d {2}https:\/\/example.org\/a\d\n/)
    expect(stdout).toMatch(/\n {2}… and 3 more\n$/)
    expect(await stored()).toBe(9)
    expect((await purge('--author', 'nobody', '--dry-run')).stdout).toBe('No stored request matches.\n')
  })

  it('deletes requests and suppresses them until that is lifted', async () => {
    const purged = await purge('--author', 'EVE', '--yes')
    expect(purged.stderr).toBe('1 request to delete (github 1):\n  Penguin red  https://example.org/1\n')
    expect(purged.stdout).toMatch(/^1 request deleted\.\nThey are suppressed \(purge [0-9a-f-]{36}\)\.\n$/)
    expect((await collect()).requestsCreated).toBe(0)
    const listed = await run(environment(), 'admin', 'suppressions', 'list')
    expect(listed.stdout).toMatch(
      /^31 hashes of what .*\nhandle, name {2}\d\d? \w+ \d{4} · 31 hashes {2}[0-9a-f-]{36}\n$/,
    )
    const lifted = await run(environment(), 'admin', 'suppressions', 'lift', '--author', 'eve')
    expect(lifted.stdout).toBe('Lifted: the requests may be collected again.\n')
    expect((await collect()).requestsCreated).toBe(1)
    const again = await run(environment(), 'admin', 'suppressions', 'lift', '--author', 'eve')
    expect(again).toMatchObject({ exitCode: exitCodes.failed, stderr: 'wishwell: Suppression not found.\n' })
  })

  it('gives the answer of the service with --json, and passes on every option', async () => {
    const { data } = await purge('--platform', 'github', '--older-than', '1', '--suppress', '--yes', '--json')
    expect(data).toMatchObject({ matched: 0, deleted: 0, dryRun: false, purgeId: null })
    const kept = await purge('--source-url', 'https://example.org/a1', '--no-suppress', '--yes', '--json')
    expect(kept.data).toMatchObject({ matched: 1, deleted: 1, purgeId: null, matchedByPlatform: { github: 1 } })
    expect((await purge('--id', 'a2', '--platform', 'github', '--yes', '--json')).data.deleted).toBe(1)
    expect((await purge('--platform', 'github', '--yes', '--json')).data).toMatchObject({ deleted: 7, purgeId: null })
    expect((await collect()).requestsCreated).toBe(8)
  })

  it.each([
    [[], 'Say what to purge'],
    [['--dry-run'], 'Say what to purge'],
    [['--author', 'a', '--source-url', 'https://example.org'], '--source-url and --author cannot be combined'],
    [['--platform', 'myspace', '--yes'], 'Allowed choices'],
    [['--older-than', '0', '--yes'], 'whole number'],
    [['--older-than', '30d', '--yes'], 'whole number'],
    [['--author', 'ada'], 'add --yes'],
    [['ada', '--yes', '--platform', 'github'], 'Too many arguments'],
  ])('deletes nothing when the command line is wrong: %j', async (parameters, message) => {
    const { exitCode, stdout, stderr } = await purge(...parameters)
    expect([exitCode, stdout]).toEqual([exitCodes.usage, ''])
    expect(stderr).toContain(message)
    expect(await stored()).toBe(9)
  })

  it("tells the service's own words of what it refuses", async () => {
    const { exitCode, stderr } = await purge('--source-url', 'example.org/1', '--yes')
    expect([exitCode, stderr]).toEqual([exitCodes.usage, expect.stringContaining('must be a web address')])
  })

  it('has help that names every option', async () => {
    const { stdout } = await purge('--help')
    for (const word of ['--dry-run', '--no-suppress', '--older-than', 'exact match', 'Exit codes', 'Backups']) {
      expect(stdout).toContain(word)
    }
  })
})

it('works on the database itself when no service runs', { timeout: 60_000 }, async () => {
  const copy = await copyDatabase()
  onTestFinished(() => copy.remove())
  const { dataDir, databaseUrl } = copy.options
  const environment: Environment = {
    WISHWELL_URL: 'http://127.0.0.1:2',
    ADMIN_API_KEY: 'admin-key-of-the-purge-test',
    DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  }
  const { exitCode, data } = await run(environment, 'admin', 'purge', '--author', 'ada', '--yes', '--json')
  expect([exitCode, data.matched, typeof data.purgeId]).toEqual([exitCodes.ok, 0, 'string'])
  const { data: lifted } = await run(environment, 'admin', 'suppressions', 'lift', '--purge', data.purgeId, '--json')
  expect(lifted.lifted).toBe(30)
})
