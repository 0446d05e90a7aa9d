import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from '../../test/child-environment.ts'
import { noTerminal, startCommand, startOnTerminal } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import { failure, startFakeService, testKey, usage } from './fake-service-testing.ts'
import { createProgram } from './program.ts'

// Takes seconds: each command is a process.

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'wishwell-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return { environment: { XDG_CONFIG_HOME: home }, file: join(home, 'wishwell', 'config.json') }
}

/** Runs a command with a text on its stdin. */
async function pipeInto(text: string, parameters: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [main, ...parameters], { env: { ...childEnvironment, ...environment } })
  child.stdin.end(text)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const exitCode = await new Promise((resolve) => child.on('close', resolve))
  return { exitCode, output }
}

const service = () =>
  startFakeService(({ authorization }) =>
    authorization === `Bearer ${testKey}`
      ? { body: { data: { tier: 'pro', ...usage }, usage } }
      : failure(401, 'UNAUTHORIZED', 'A valid API key is required.'),
  )

describe('wishwell login', { timeout: 60_000 }, () => {
  it('saves a key that the service takes, for its owner only; other commands use it', async () => {
    const { url } = await service()
    const { environment, file } = newHome()
    const refused = await pipeInto('ww_live_wrong\n', ['login', '--url', url], environment)
    expect(refused).toEqual({ exitCode: exitCodes.failed, output: '' })
    expect(() => statSync(file)).toThrow('ENOENT')
    const { exitCode, output } = await pipeInto(`${testKey}\n`, ['login', '-u', url], environment)
    expect([exitCode, output]).toEqual([0, `Logged in at ${url} (plan: pro). Saved in ${file}.\n`])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url, apiKey: testKey })

    const called = await startCommand(['api', 'get', '/api/v1/usage'], environment).finished
    expect([called.exitCode, JSON.parse(called.stdout).data.tier]).toEqual([0, 'pro'])
    // Logging in again makes the file private again.
    chmodSync(file, 0o644)
    await pipeInto(testKey, ['login', '-u', url], environment)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('gives the saved key to no other address, and an option wins over all', async () => {
    const [mine, other] = [await service(), await service()]
    const { environment } = newHome()
    await pipeInto(testKey, ['login', '--url', mine.url], environment)
    const elsewhere = await startCommand(['usage'], { ...environment, WISHWELL_URL: other.url }).finished
    expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([
      exitCodes.usage,
      expect.stringContaining('There is no API key'),
    ])
    expect(other.received).toEqual([])
    const given = ['api', 'get', '/api/v1/usage', '--url', other.url, '--key', testKey]
    expect((await startCommand(given, { ...environment, WISHWELL_API_KEY: 'wrong' }).finished).exitCode).toBe(0)
    expect(other.received).toHaveLength(1)
  })

  it.skipIf(noTerminal !== null)('asks for the key on a terminal, and does not show it', async () => {
    const { url } = await service()
    const { environment } = newHome()
    const asked = startOnTerminal(['login', '--url', url], { columns: 200, environment })
    await asked.shown(/API key: /)
    asked.type(`${testKey}\r`)
    const { exitCode, output } = await asked.finished
    expect([exitCode, output]).toEqual([0, expect.stringContaining('Logged in at')])
    expect(output).not.toContain(testKey)
  })
})

describe('wishwell api', { timeout: 60_000 }, () => {
  it('makes any call: JSON in, JSON out, and the exit code of its status', async () => {
    const { url, received } = await startFakeService(({ call }) =>
      call.startsWith('PATCH')
        ? { body: { data: { state: 'paused' }, usage } }
        : failure(429, 'RATE_LIMITED', 'Too many requests.'),
    )
    const adminKey = 'admin-key-of-the-tests'
    const environment = { WISHWELL_URL: url, WISHWELL_API_KEY: testKey, ADMIN_API_KEY: adminKey }
    const run = (...parameters: string[]) => startCommand(['api', ...parameters], environment).finished
    const patched = await run('patch', '/api/v1/watches/1', '-d', '{"state": "paused"}', '-H', 'Idempotency-Key: 7')
    expect([patched.exitCode, JSON.parse(patched.stdout).data]).toEqual([0, { state: 'paused' }])
    expect(received[0]).toMatchObject({ call: 'PATCH /api/v1/watches/1', body: '{"state":"paused"}' })
    const refused = await run('GET', '/api/v1/usage')
    expect(refused).toMatchObject({ exitCode: exitCodes.limited, stderr: 'wishwell: Too many requests.\n' })
    await run('get', '/api/admin/accounts')
    expect(received.at(-1)).toMatchObject({ authorization: `Bearer ${adminKey}`, call: 'GET /api/admin/accounts' })
    for (const wrong of [
      ['fetch', '/x'],
      ['get', 'x'],
      ['post', '/x', '-d', '{'],
      ['get', '/x', '-H', 'x'],
    ])
      expect((await run(...wrong)).exitCode, wrong.join(' ')).toBe(exitCodes.usage)
  })
})

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)]

describe('the command line', () => {
  it('has at most 24 commands, and no two options of one have the same short form', async () => {
    const program = await createProgram()
    expect(program.commands.length).toBeLessThanOrEqual(24)
    for (const command of allOf(program)) {
      const shorts = [...program.options, ...(command === program ? [] : command.options)].flatMap(
        ({ short }) => short ?? [],
      )
      expect([...new Set(shorts)], command.name()).toEqual(shorts)
    }
  })

  it('completes commands, and prints what a shell needs for it', async () => {
    const completed = await startCommand(['complete', '--', 'admin', 'keys', 're']).finished
    expect(completed.stdout).toMatch(/^revoke\t/)
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await startCommand(['complete', shell]).finished).stdout, shell).toContain('wishwell')
  })
})
