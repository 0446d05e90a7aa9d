import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outputOf } from '../package/installation.ts'
import { type Mutation, mutations } from './mutations.ts'

// Holds (HTTP and secrets): each guarantee in test/mutations/mutations.ts has a test that fails without it

// Takes about a quarter of an hour: each change is a run of a test file, in a copy of this tree.

const root = fileURLToPath(new URL('../..', import.meta.url))
const left = new Set(['.git', 'node_modules', 'data', 'coverage', 'release', 'target'])
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'wishwell-mutations-'))
  const filter = (source: string) => !left.has(source.slice(root.length).split('/').at(-1)!)
  cpSync(root, copy, { recursive: true, preserveTimestamps: true, filter })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

interface Report {
  success: boolean
  testResults: {
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** Runs test files in the copy. */
async function run(files: readonly string[]): Promise<Report> {
  const file = join(copy, 'report.json')
  rmSync(file, { force: true })
  // The project of the name; files of Postgres that run on the embedded database, too, are among those of the service.
  const projects = ['--project', 'plain', '--project', 'service']
  const parameters = ['run', ...projects, '--reporter', 'json', '--outputFile', file, ...files]
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:TEST|VITEST)/.test(name)))
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, ...parameters], { cwd: copy, env: { ...env, TEST_SEED: '1' } })
  const { stdout, stderr } = await outputOf(child)
  if (!existsSync(file)) throw new Error(`There is no report:\n${stdout}\n${stderr}`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

const failuresOf = ({ testResults }: Report) =>
  testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'failed')

/** Runs the test of a guarantee while it is broken. @throws where the change does not apply */
async function runBroken({ file, test, from, to }: Mutation): Promise<Report> {
  const path = join(copy, file)
  const whole = readFileSync(path, 'utf8')
  const parts = whole.split(from)
  if (parts.length !== 2)
    throw new Error(
      `The change does not apply any more: ${file} has ${JSON.stringify(from)} ${parts.length - 1} times.`,
    )
  try {
    writeFileSync(path, parts.join(to))
    return await run([test])
  } finally {
    writeFileSync(path, whole)
  }
}

describe('the guarantees', { timeout: 600_000 }, () => {
  it('hold as they are', async () => {
    const report = await run([...new Set(mutations.map(({ test }) => test))])
    expect(failuresOf(report).map(({ fullName }) => fullName)).toEqual([])
    expect(report.success).toBe(true)
  })

  it.each(mutations)('$guarantee: the test fails without it', async (mutation) => {
    const report = await runBroken(mutation)
    // A file that cannot be read has a message, and no test.
    expect(report.testResults.filter(({ message }) => message !== '').map(({ message }) => message)).toEqual([])
    const failures = failuresOf(report)
    console.log(`${mutation.file}: ${failures.length} tests fail, such as "${failures[0]?.fullName}"`)
    expect(failures.flatMap(({ failureMessages }) => failureMessages).join('\n')).toMatch(
      /AssertionError|Property failed|promise (?:resolved|rejected) .* instead of re/,
    )
  })
})
