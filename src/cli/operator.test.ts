import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startChildService } from '../../test/child-service.ts'
import { createTestClient } from '../../test/client.ts'
import { copyDatabase } from '../../test/database.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { apiKeyPattern } from '../accounts/keys.ts'
import { openBrowser } from '../accounts/sessions/testing.ts'
import { openDatabase } from '../database/open.ts'
import { readServiceAddress } from './client-config.ts'
import { startCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import { failure, startFakeService } from './fake-service-testing.ts'

const embedded = process.env.TEST_BACKEND === 'embedded'
/** Where nothing listens: a port that is given to nobody, and that fetch does not refuse by itself. */
const nowhere = 'http://127.0.0.1:2'
const adminKey = 'admin-key-of-the-operator-test'

type Environment = Record<string, string>

/** Runs a command as the operator; stdout is also given as JSON, with `--json`. */
async function run(environment: Environment, ...parameters: string[]) {
  const finished = await startCommand(parameters, environment).finished
  const { data } =
    parameters.includes('--json') && finished.stdout !== '' ? JSON.parse(finished.stdout) : { data: null }
  return { ...finished, data }
}

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-operator-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Everything that the commands can do with accounts and keys, through one way to the admin routes. */
async function useEveryCommand(environment: Environment) {
  const created = await run(environment, 'account', 'create', 'Acme \x1b[31m', '--tier', 'pro')
  expect(created).toMatchObject({ exitCode: exitCodes.ok })
  expect(created.stdout).toMatch(/^Account \S+ \(pro\): Acme\nAPI key: ww_live_\w{32} {3}\(shown only once\)\n$/)
  const listed = await run(environment, 'account', 'list', '--json')
  const account = listed.data.accounts.find((candidate: { tier: string }) => candidate.tier === 'pro')
  expect(account).toMatchObject({ name: 'Acme \x1b[31m', tier: 'pro', deletedAt: null })
  const { accountId } = account
  expect((await run(environment, 'account', 'set-tier', accountId, 'max')).stdout).toMatch(`${accountId}  max `)
  const made = await run(environment, 'key', 'create', accountId, 'laptop', '--json')
  expect(made.data).toEqual({ keyId: expect.any(String), apiKey: expect.stringMatching(apiKeyPattern) })
  expect((await run(environment, 'key', 'revoke', made.data.keyId)).stdout).toBe(`Key ${made.data.keyId} is revoked.\n`)
  const keys = (await run(environment, 'key', 'list', accountId)).stdout.split('\n')
  expect(keys[0]).toMatch(/never used +first key$/)
  expect(keys[1]).toMatch(new RegExp(`^${made.data.keyId} .* revoked \\S+ +laptop$`))
  const link = await run(environment, 'account', 'link', accountId)
  expect(link.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#[\w-]{43}\n\(works once, until \S+Z\)\n$/)
  const signedOut = await run(environment, 'account', 'sign-out', accountId)
  expect(signedOut.stdout).toBe('The account is signed out (0 sessions). Its API keys stay.\n')
  const firstKey = /API key: (\S+)/.exec(created.stdout)?.[1] ?? ''
  return { accountId, firstKey, listed: listed.data.accounts.length as number }
}

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
    const deleted = await run(environment(), 'account', 'delete', accountId, '--yes')
    expect(deleted.stdout).toBe(`Account ${accountId} is deleted. Its running jobs continue to their end.\n`)
    expect((await client.search('a')).status).toBe(401)
    expect((await run(environment(), 'account', 'list')).stdout).not.toContain(accountId)
    expect((await run(environment(), 'account', 'list', '--deleted')).stdout).toContain('deleted account  (deleted ')
  })

  it('a way in can always be had: without an id the link is of the first account', async () => {
    const { accountId } = await service.createAccount()
    const accounts = (await run(environment(), 'account', 'list', '--json')).data.accounts
    expect(accounts.length).toBeGreaterThan(1)
    const { stdout, stderr, exitCode } = await run(environment(), 'account', 'link')
    expect([exitCode, stdout]).toEqual([exitCodes.ok, expect.stringMatching(/^http\S+\/sign-in#\S+\n/)])
    expect(accounts[0].accountId).not.toBe(accountId)
    expect(stderr).toContain(`(${accounts[0].accountId})`)
    const browser = openBrowser(() => service.url)
    expect((await browser.signIn({ link: stdout.split('#')[1]!.split('\n')[0]! })).status).toBe(200)
    expect((await browser.call('GET', '/api/session')).body.data.account.accountId).toBe(accounts[0].accountId)
  })

  it('nothing is deleted without a confirmation', async () => {
    const { accountId, client } = await service.createAccount()
    const { exitCode, stdout, stderr } = await run(environment(), 'account', 'delete', accountId)
    expect([exitCode, stdout]).toEqual([exitCodes.usage, ''])
    expect(stderr).toContain('add --yes')
    expect((await client.search('a')).status).toBe(200)
  })

  it('the admin key is read from the data directory when no other is given', async () => {
    const directory = makeDirectory()
    writeFileSync(join(directory, 'admin-key'), `${service.adminKey}\n`)
    const { exitCode } = await run({ WISHWELL_URL: service.url, DATA_DIR: directory }, 'account', 'list')
    expect(exitCode).toBe(exitCodes.ok)
  })

  it.each([
    ['none', {}, exitCodes.usage, /needs the admin key/],
    ['a wrong one', { ADMIN_API_KEY: 'a-wrong-admin-key-of-17' }, exitCodes.failed, /read from ADMIN_API_KEY/],
    ['one that no header can hold', { ADMIN_API_KEY: 'a-wrong-admin-key-\u00fc' }, exitCodes.usage, /ASCII/],
  ])('an admin key is asked for when there is %s, and never told', async (_what, more, exitCode, message) => {
    const directory = makeDirectory()
    const finished = await run({ WISHWELL_URL: service.url, DATA_DIR: directory, ...more }, 'account', 'list')
    expect(finished).toMatchObject({ exitCode, stdout: '' })
    expect(finished.stderr).toMatch(message)
    expect(finished.stderr).not.toContain('a-wrong-admin-key')
    expect(existsSync(join(directory, 'admin-key'))).toBe(false)
  })

  it("what it refuses is told in the service's own words", async () => {
    const unknown = await run(environment(), 'account', 'set-tier', '../../..', 'pro')
    expect(unknown).toMatchObject({ exitCode: exitCodes.failed, stdout: '', stderr: 'wishwell: Account not found.\n' })
    const empty = await run(environment(), 'account', 'create', ' ')
    expect(empty).toMatchObject({ exitCode: exitCodes.failed, stdout: '' })
    expect(empty.stderr).toContain('name: must NOT have fewer than 1 characters')
  })
})

describe('with no service', () => {
  async function copyOffline() {
    const copy = await copyDatabase()
    onTestFinished(() => copy.remove())
    const { dataDir, databaseUrl } = copy.options
    const backend: Environment = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
    return { copy, environment: { WISHWELL_URL: nowhere, ADMIN_API_KEY: adminKey, DATA_DIR: dataDir, ...backend } }
  }

  it('the commands do the same on the database itself, and say so', { timeout: 300_000 }, async () => {
    const { copy, environment } = await copyOffline()
    // The copy has what a start of the service makes; the commands have to do without the queue.
    const prepared = await openDatabase({ ...copy.options, onCrash: () => {} })
    await sql`drop schema if exists pgboss cascade`.execute(prepared.database)
    await prepared.close()
    const { accountId, firstKey, listed } = await useEveryCommand(environment)
    // No first account beside it, whose key nobody would ever see; and no queue.
    expect(listed).toBe(1)
    const { stderr } = await run(environment, 'account', 'list')
    expect(stderr).toContain(`using the database in ${embedded ? environment.DATA_DIR : 'DATABASE_URL'} directly`)
    const opened = await openDatabase({ ...copy.options, onCrash: () => {} })
    const { rows } = await sql`select to_regnamespace('pgboss') as queue`.execute(opened.database)
    await opened.close()
    expect(rows).toEqual([{ queue: null }])

    const service = await startChildService(environment)
    const client = createTestClient(() => service.url, firstKey)
    expect((await client.get('/api/v1/keys')).body.data.keys).toHaveLength(2)
    await service.end('SIGTERM')
    expect((await run(environment, 'account', 'link')).stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#/)
    expect((await run(environment, 'account', 'delete', accountId, '--yes')).exitCode).toBe(exitCodes.ok)
    expect((await run(environment, 'account', 'link')).stderr).toContain('There are no accounts.')
    expect((await run(environment, 'account', 'delete', accountId, '--yes')).stderr).toContain('Account not found.')
  })

  it.runIf(embedded)('a directory that a service holds is left alone', async () => {
    const { environment } = await copyOffline()
    const service = await startChildService(environment)
    const { exitCode, stderr } = await run(environment, 'account', 'create', 'x')
    expect(exitCode).toBe(exitCodes.unreachable)
    expect(stderr).toContain(
      `A service holds the data directory ${environment.DATA_DIR}, but nothing listens at ${nowhere}`,
    )
    const { DATA_DIR } = environment
    expect((await run({ DATA_DIR, WISHWELL_URL: nowhere }, 'account', 'list')).exitCode).toBe(exitCodes.unreachable)
    expect(existsSync(join(DATA_DIR, 'admin-key'))).toBe(false)
    expect((await run({ ...environment, WISHWELL_URL: service.url }, 'account', 'list')).exitCode).toBe(exitCodes.ok)
    await service.end('SIGTERM')
  })

  it('a command whose stderr is closed does not end with success', async () => {
    const { environment } = await copyOffline()
    const command = startCommand(['account', 'create', 'x'], environment)
    command.stopReading('stderr')
    expect((await command.finished).exitCode).toBe(exitCodes.failed)
    expect((await run(environment, 'account', 'list', '--json')).data.accounts).toEqual([])
  })

  it('no database is made where there is none', async () => {
    const directory = join(makeDirectory(), 'data')
    const { exitCode, stderr } = await run({ WISHWELL_URL: nowhere, DATA_DIR: directory }, 'account', 'list')
    expect(exitCode).toBe(exitCodes.unreachable)
    expect(stderr).toContain(`there is no database in ${directory}`)
    expect(existsSync(directory)).toBe(false)
  })

  it("another machine's service is not replaced by the database of this one", async () => {
    const { environment } = await copyOffline()
    const elsewhere = { ...environment, WISHWELL_URL: 'http://0.0.0.0:2' }
    const { exitCode, stderr } = await run(elsewhere, 'account', 'create', 'x')
    expect(exitCode).toBe(exitCodes.unreachable)
    expect(stderr).toContain('Nothing listens at http://0.0.0.0:2.')
    expect((await run(environment, 'account', 'list', '--json')).data.accounts).toEqual([])
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
    const finished = await run(environment, 'account', 'list')
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
    [['account'], ['create', 'list', 'set-tier', 'delete']],
    [
      ['account', 'create'],
      ['<name>', '--tier', 'free', '--json', 'WISHWELL_URL', 'ADMIN_API_KEY', 'Exit codes', '5 too many'],
    ],
    [
      ['account', 'delete'],
      ['<accountId>', '--yes', 'ledger stays'],
    ],
    [['key'], ['create', 'list', 'revoke']],
    [
      ['key', 'create'],
      ['<accountId>', '<name>', '--json', 'DATA_DIR'],
    ],
    [['backup'], ['<file>', '--json', 'pg_dump', 'admin key', 'Exit codes']],
    [['restore'], ['<file>', '--yes', '--json', 'DATA_DIR', 'before-restore', 'Exit codes']],
    [
      ['detection', 'export'],
      ['--out <file>', 'ADMIN_API_KEY', 'bench/detection.ts', 'Exit codes'],
    ],
    [['correct'], ['<requestId>', 'not-request', '--json', 'WISHWELL_API_KEY', 'Exit codes']],
    [
      [],
      [
        'account',
        'key',
        'backup',
        'restore',
        'ADMIN_API_KEY',
        'of scrape, jobs, search, topics, export, correct, platforms and\nusage',
        'detection, backup and verify',
      ],
    ],
  ])('of %j names every option and variable', async (command, words) => {
    const { exitCode, stdout } = await run({}, ...command, '--help')
    expect(exitCode).toBe(exitCodes.ok)
    for (const word of words) expect(stdout).toContain(word)
  })

  it.each([[['account']], [['account', 'create', 'x', '--tier', 'gold']]])(
    'is mentioned when the command line is wrong: %j',
    async (command) => {
      const { exitCode, stdout, stderr } = await run({}, ...command)
      expect([exitCode, stdout]).toEqual([exitCodes.usage, ''])
      expect(stderr).toMatch(/Usage:|--help/)
    },
  )
})
