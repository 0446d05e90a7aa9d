import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { openBrowser } from '../accounts/sessions/testing.ts'
import { readServiceAddress } from './client-config.ts'
import { exitCodes } from './exit-codes.ts'
import { failure, startFakeService } from './fake-service-testing.ts'
import { adminKey, makeDirectory, run, useEveryCommand } from './operator-testing.ts'

// Holds (HTTP and secrets): the operator's commands do the same with and without a running service

describe('with a running service', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ ownDatabase: true })
  })
  afterEach(() => service.reset())
  afterAll(() => service.stop())
  const environment = () => ({ WISHWELL_URL: service.url, ADMIN_API_KEY: service.adminKey, DATA_DIR: '/nonexistent' })

  it('the commands do everything through its admin routes', { timeout: 300_000 }, async () => {
    const { accountId, firstKey, listed } = await useEveryCommand(environment())
    expect(listed).toBe(2)
    const client = service.clientFor(firstKey)
    expect((await client.search('a')).body.usage.credits.limit).toBe(15_000)
    const deleted = await run(environment(), 'admin', 'accounts', 'delete', accountId, '--yes')
    expect(deleted.stdout).toBe(`Account ${accountId} is deleted. Its running jobs continue to their end.\n`)
    expect((await client.search('a')).status).toBe(401)
    expect((await run(environment(), 'admin', 'accounts', 'list')).stdout).not.toContain(accountId)
    expect((await run(environment(), 'admin', 'accounts', 'list', '--deleted')).stdout).toContain(' · deleted ')
  })

  it('a way in can always be had: without an id the link is of the first account', async () => {
    const { accountId } = await service.createAccount()
    const accounts = (await run(environment(), 'admin', 'accounts', 'list', '--json')).data.results
    expect(accounts.length).toBeGreaterThan(1)
    const { stdout, stderr, exitCode } = await run(environment(), 'admin', 'accounts', 'link')
    expect([exitCode, stdout]).toEqual([exitCodes.ok, expect.stringMatching(/^http\S+\/sign-in#\S+\n/)])
    expect(accounts[0].accountId).not.toBe(accountId)
    expect(stderr).toContain(`(${accounts[0].accountId})`)
    const browser = openBrowser(() => service.url)
    expect((await browser.signIn({ link: stdout.split('#')[1]!.split('\n')[0]! })).status).toBe(200)
    expect((await browser.call('GET', '/api/session')).body.data.account.accountId).toBe(accounts[0].accountId)
  })

  it('nothing is deleted without a confirmation', async () => {
    const { accountId, client } = await service.createAccount()
    const { exitCode, stdout, stderr } = await run(environment(), 'admin', 'accounts', 'delete', accountId)
    expect([exitCode, stdout]).toEqual([exitCodes.usage, ''])
    expect(stderr).toContain('add --yes')
    expect((await client.search('a')).status).toBe(200)
  })

  it('the admin key is read from the data directory when no other is given', async () => {
    const directory = makeDirectory()
    writeFileSync(join(directory, 'admin-key'), `${service.adminKey}\n`)
    const { exitCode } = await run({ WISHWELL_URL: service.url, DATA_DIR: directory }, 'admin', 'accounts', 'list')
    expect(exitCode).toBe(exitCodes.ok)
  })

  it.each([
    ['none', {}, exitCodes.usage, /needs the admin key/],
    ['a wrong one', { ADMIN_API_KEY: 'a-wrong-admin-key-of-17' }, exitCodes.failed, /read from ADMIN_API_KEY/],
    ['one that no header can hold', { ADMIN_API_KEY: 'a-wrong-admin-key-\u00fc' }, exitCodes.usage, /ASCII/],
  ])('an admin key is asked for when there is %s, and never told', async (_what, more, exitCode, message) => {
    const directory = makeDirectory()
    const finished = await run({ WISHWELL_URL: service.url, DATA_DIR: directory, ...more }, 'admin', 'accounts', 'list')
    expect(finished).toMatchObject({ exitCode, stdout: '' })
    expect(finished.stderr).toMatch(message)
    expect(finished.stderr).not.toContain('a-wrong-admin-key')
    expect(existsSync(join(directory, 'admin-key'))).toBe(false)
  })

  it("what it refuses is told in the service's own words", async () => {
    const unknown = await run(
      environment(),
      'admin',
      'accounts',
      'set-tier',
      '00000000-0000-4000-8000-000000000000',
      'pro',
    )
    expect(unknown).toMatchObject({ exitCode: exitCodes.failed, stdout: '', stderr: 'wishwell: Account not found.\n' })
    const malformed = await run(environment(), 'admin', 'accounts', 'set-tier', '../../..', 'pro')
    expect(malformed).toMatchObject({ exitCode: exitCodes.usage, stdout: '' })
    expect(malformed.stderr).toContain('"../../.." is no id. An id has 36 characters')
    const empty = await run(environment(), 'admin', 'accounts', 'create', ' ')
    expect(empty).toMatchObject({ exitCode: exitCodes.usage, stdout: '' })
    expect(empty.stderr).toContain('name: must have at least 1 character')
  })
})

describe('a service that does not answer as it should', () => {
  it.each([
    ['hangs up', 'hang up' as const, exitCodes.unreachable],
    ['is another one', { body: '<html>' }, exitCodes.failed],
    ['has too many callers', failure(429, 'RATE_LIMITED', 'Too many requests.', { reason: 'rate' }), exitCodes.limited],
  ])('and %s ends the command, never touching a database', async (_what, answer, exitCode) => {
    const { url } = await startFakeService(() => answer)
    const directory = makeDirectory()
    const environment = { WISHWELL_URL: url, ADMIN_API_KEY: adminKey, DATA_DIR: directory }
    const finished = await run(environment, 'admin', 'accounts', 'list')
    expect(finished).toMatchObject({ exitCode, stdout: '' })
    expect(existsSync(join(directory, 'database'))).toBe(false)
  })
})

describe('the address of the service', () => {
  it.each([
    [{}, { host: '127.0.0.1', port: 4680 }, 'http://127.0.0.1:4680', true],
    [{}, { host: '0.0.0.0', port: 8080 }, 'http://127.0.0.1:8080', true],
    [{}, { host: '::', port: 0 }, 'http://127.0.0.1:4680', true],
    [{}, { host: '::1', port: 80 }, 'http://[::1]:80', true],
    [{ WISHWELL_URL: ' http://localhost:99/ ' }, { host: '0.0.0.0', port: 8080 }, 'http://localhost:99', true],
    [{ WISHWELL_URL: 'https://wishwell.example/api/' }, { host: '::', port: 1 }, 'https://wishwell.example/api', false],
  ])('with %j where it listens at %j is %s', (environment, listening, url, isHere) => {
    expect(readServiceAddress(listening, environment)).toEqual({ url, isHere })
  })
})

describe('the help', () => {
  it.each([
    [
      ['admin', 'accounts'],
      ['create', 'list', 'set-tier', 'delete'],
    ],
    [
      ['admin', 'accounts', 'create'],
      ['<name>', '--tier', 'free', '--json', 'WISHWELL_URL', 'ADMIN_API_KEY', 'Exit codes', '5 too many'],
    ],
    [
      ['admin', 'accounts', 'delete'],
      ['<accountId>', '--yes', 'ledger stays'],
    ],
    [
      ['admin', 'keys'],
      ['create', 'list', 'revoke'],
    ],
    [
      ['admin', 'keys', 'create'],
      ['<accountId>', '<name>', '--json', 'DATA_DIR'],
    ],
    [
      ['admin', 'backup'],
      ['<file>', '--json', 'pg_dump', 'admin key', 'Exit codes'],
    ],
    [
      ['admin', 'restore'],
      ['<file>', '--yes', '--json', 'DATA_DIR', 'before-restore', 'Exit codes'],
    ],
    [
      ['admin', 'detection', 'export'],
      ['--out <file>', 'ADMIN_API_KEY', 'bench/detection.ts', 'Exit codes'],
    ],
    [
      ['wishes', 'correct'],
      ['<requestId>', 'not-request', '--json', 'WISHWELL_API_KEY', 'Exit codes'],
    ],
    [[], ['login', 'watches', 'api', 'admin', 'complete', 'ADMIN_API_KEY', 'WISHWELL_API_KEY', '--url', '--key']],
    [['admin'], ['accounts', 'keys', 'platforms', 'backup', 'restore', 'restore-dump', 'migrate', 'healthcheck']],
  ])('of %j names every option and variable', async (command, words) => {
    const { exitCode, stdout } = await run({}, ...command, '--help')
    expect(exitCode).toBe(exitCodes.ok)
    for (const word of words) expect(stdout).toContain(word)
  })

  it.each([[['admin', 'accounts']], [['admin', 'accounts', 'create', 'x', '--tier', 'gold']]])(
    'is mentioned when the command line is wrong: %j',
    async (command) => {
      const { exitCode, stdout, stderr } = await run({}, ...command)
      expect([exitCode, stdout]).toEqual([exitCodes.usage, ''])
      expect(stderr).toMatch(/Usage:|--help/)
    },
  )
})
