import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { apiKeyPattern } from '../accounts/api-key.ts'
import { startCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

/** Where nothing listens: a port that is given to nobody, and that fetch does not refuse by itself. */
export const nowhere = 'http://127.0.0.1:2'
export const adminKey = 'admin-key-of-the-operator-test'

export type Environment = Record<string, string>

/** Runs a command as the operator; stdout is also given as JSON, with `--json`. */
export async function run(environment: Environment, ...parameters: string[]) {
  const finished = await startCommand(parameters, environment).finished
  const { data } =
    parameters.includes('--json') && finished.stdout !== '' ? JSON.parse(finished.stdout) : { data: null }
  return { ...finished, data }
}

export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-operator-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A date as the commands write it: `29 Nov 2026`. */
const aDay = '\\d+ \\w+ \\d{4}'

/** Everything that the commands can do with accounts and keys, through one way to the admin routes. */
export async function useEveryCommand(environment: Environment) {
  const created = await run(environment, 'admin', 'accounts', 'create', 'Acme \x1b[31m', '--tier', 'pro')
  expect(created).toMatchObject({ exitCode: exitCodes.ok })
  expect(created.stdout).toMatch(/^Account \S+ \(pro\): Acme\nAPI key: ww_live_\w{32} {3}\(shown only once\)\n$/)
  const listed = await run(environment, 'admin', 'accounts', 'list', '--json')
  const account = listed.data.results.find((candidate: { tier: string }) => candidate.tier === 'pro')
  expect(account).toMatchObject({ name: 'Acme \x1b[31m', tier: 'pro', deletedAt: null })
  const { accountId } = account
  expect((await run(environment, 'admin', 'accounts', 'set-tier', accountId, 'max')).stdout).toMatch(
    new RegExp(`^Acme  max · since ${aDay}  ${accountId}\n$`),
  )
  const made = await run(environment, 'admin', 'keys', 'create', accountId, 'laptop', '--json')
  expect(made.data).toMatchObject({ keyId: expect.any(String), apiKey: expect.stringMatching(apiKeyPattern) })
  expect((await run(environment, 'admin', 'keys', 'revoke', made.data.keyId)).stdout).toBe(
    `Key ${made.data.keyId} is revoked.\n`,
  )
  const keys = (await run(environment, 'admin', 'keys', 'list', accountId)).stdout.split('\n')
  expect(keys[0]).toMatch(/^first key {2}.* · never used {2}\S+$/)
  expect(keys[1]).toMatch(new RegExp(`^laptop  .* · revoked ${aDay}  ${made.data.keyId}$`))
  const link = await run(environment, 'admin', 'accounts', 'link', accountId)
  expect(link.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#[\w-]{43}\n\(works once, until .+ UTC\)\n$/)
  const signedOut = await run(environment, 'admin', 'accounts', 'sign-out', accountId)
  expect(signedOut.stdout).toBe('The account is signed out (0 sessions). Its API keys stay.\n')
  const firstKey = /API key: (\S+)/.exec(created.stdout)?.[1] ?? ''
  return { accountId, firstKey, listed: listed.data.results.length as number }
}
