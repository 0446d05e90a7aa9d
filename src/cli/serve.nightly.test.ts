import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from '../../test/child-environment.ts'
import { startChildService } from '../../test/child-service.ts'
import { copyDatabase, type DatabaseCopy } from '../../test/database.ts'
import { databaseIn } from '../database/embedded/data-directory.ts'
import { noTerminal, startOnTerminal } from './command-testing.ts'

// Holds (Data): an embedded database that fails ends the process with exit code 1 and one sentence

let copy: DatabaseCopy
beforeAll(async () => {
  copy = await copyDatabase()
})
afterAll(() => copy.remove())

const environment = () => ({
  PORT: '0',
  DATA_DIR: copy.options.dataDir,
  DATABASE_URL: copy.options.databaseUrl,
  ADMIN_API_KEY: 'admin-key-of-the-serve-test',
  LOG_LEVEL: 'info',
})

if (noTerminal !== null) console.log(`The service on a terminal is not tested: ${noTerminal}.`)

describe('the service on a terminal', () => {
  it.skipIf(noTerminal !== null)('shows what is shown once last, and no line for a call', async () => {
    const { shown, type, finished } = startOnTerminal(['serve'], { columns: 80, environment: environment() })
    const [, address = ''] = await shown(/Wishwell is running at (\S+)/)
    const [, apiKey = ''] = await shown(/API key: +(\S+)/)
    await shown(/docs: +\S+\n\n/)
    const authorization = `Bearer ${apiKey}`
    expect((await fetch(`${address}/api/v1/topics`, { headers: { authorization } })).status).toBe(200)
    expect((await fetch(`${address}/api/v1/topics`)).status).toBe(401)
    type('\x03')
    const { output, exitCode } = await finished
    expect(exitCode).toBe(0)
    const [before = '', after = ''] = stripVTControlCharacters(output).split('Wishwell is running')
    expect(before).toMatch(/^\d\d:\d\d:\d\d info {2}database is ready /m)
    expect(before + after).not.toContain('{"level"')
    expect(after).not.toMatch(/call|\/api\//)
    // The terminal echoes the Ctrl-C.
    const logged = after.split('\n').flatMap((line) => /^(?:\^C)?\d\d:\d\d:\d\d info {2}(\w+)/.exec(line)?.[1] ?? [])
    expect(logged).toEqual(['shutting', 'stopped'])
  })

  it('logs JSON in a pipe, a line for each call', async () => {
    const service = await startChildService(environment())
    expect((await fetch(`${service.url}/api/v1/topics`)).status).toBe(401)
    await service.end('SIGTERM')
    const entries = service
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const calls = entries.filter(({ req }) => req)
    expect(calls).toMatchObject([
      { msg: 'call answered', req: { method: 'GET', path: '/api/v1/topics' }, res: { statusCode: 401 } },
    ])
  })

  it('logs text in a pipe where LOG_FORMAT says so', async () => {
    const service = await startChildService({ ...environment(), LOG_FORMAT: 'text' })
    await service.end('SIGTERM')
    expect(service.stderr()).toMatch(/^\d\d:\d\d:\d\d info {2}database is ready database=\w+ search=\w+( reason=.+)?\n/)
  })
})

it('a SIGTERM in the start drains, and the first key is shown all the same', async () => {
  const fresh = await copyDatabase()
  onTestFinished(() => fresh.remove())
  const serve = [fileURLToPath(new URL('../main.ts', import.meta.url)), 'serve']
  const env = {
    ...childEnvironment,
    ...environment(),
    DATA_DIR: fresh.options.dataDir,
    DATABASE_URL: fresh.options.databaseUrl,
  }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...serve], { env })
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    printed.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.stderr += chunk
    if (printed.stderr.includes('"database is ready"')) child.kill('SIGTERM')
  })
  expect(await once(child, 'close')).toEqual([0, null])
  expect(printed.stdout).toMatch(/API key: +\S+/)
  expect(printed.stderr).toMatch(/"shutting down"[\s\S]+"stopped"/)
})

describe('a service whose embedded database fails', () => {
  it('ends with 1 and one sentence, without the place in the code', async () => {
    const broken = await copyDatabase()
    onTestFinished(() => broken.remove())
    const service = await startChildService({ ...environment(), DATA_DIR: broken.options.dataDir, LOG_LEVEL: 'fatal' })
    const exited = once(service.process, 'close')
    // A checkpoint cannot go on without this file: that is a PANIC. A backup makes a checkpoint.
    rmSync(join(databaseIn(broken.options.dataDir), 'global', 'pg_control'))
    const authorization = `Bearer ${environment().ADMIN_API_KEY}`
    await expect(fetch(`${service.url}/api/admin/backup`, { headers: { authorization } })).rejects.toThrow()
    expect(await exited).toEqual([1, null])
    const [line = '', ...more] = service.stderr().trim().split('\n')
    expect(more).toEqual([])
    expect(JSON.parse(line)).toEqual({
      level: 60,
      time: expect.any(String),
      msg: expect.stringMatching(
        /^cannot go on: the embedded database has ended \(.*pg_control.*\); what was committed is kept$/,
      ),
    })
  })
})
