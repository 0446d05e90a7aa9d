import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

// Takes seconds: each test starts vitest once or more, in a folder of its own.

const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))
const command = fileURLToPath(new URL('../scripts/test.ts', import.meta.url))
const suite = fileURLToPath(new URL('../scripts/suite.ts', import.meta.url))
const reporter = fileURLToPath(new URL('report.ts', import.meta.url))

let root: string
beforeEach(() => {
  mkdirSync(cache, { recursive: true })
  root = mkdtempSync(join(cache, 'suite-'))
  mkdirSync(join(root, 'src/credits'), { recursive: true })
  writeFileSync(join(root, 'setup.ts'), 'export default () => {}')
  const config = {
    test: {
      projects: [{ extends: true, test: { name: 'plain', globalSetup: './setup.ts' } }],
      reporters: ['default', reporter],
    },
  }
  writeFileSync(join(root, 'vitest.config.ts'), `export default ${JSON.stringify(config)}`)
})
afterEach(() => rmSync(root, { recursive: true }))

const head = `import { existsSync, writeFileSync } from 'node:fs'\nimport { expect, it } from 'vitest'\n`
const passing = "it('passes', () => {})"
const skipping = "it('needs a tool', ({ skip }) => skip('it is not installed'))"
const failing = "it('fails', () => expect('seen').toBe('wanted'))"
/** Fails where it runs for the first time. */
const flaky = `it('fails once', () => {
  const wasHere = existsSync(import.meta.filename + '.run')
  writeFileSync(import.meta.filename + '.run', '')
  expect(wasHere ? 'wanted' : 'seen').toBe('wanted')
})`
/** Ends its process where it runs for the first time. */
const dyingOnce = `it('dies once', () => {
  const wasHere = existsSync(import.meta.filename + '.run')
  writeFileSync(import.meta.filename + '.run', '')
  if (!wasHere) process.kill(process.pid, 'SIGKILL')
})`
/** Fails in the process that runs no test. */
const failingSetup = "export default () => { Promise.reject(new Error('of no file')) }"

/** Runs test files as `npm test` does, and gives its exit code and its lines. */
async function run(
  files: Record<string, string>,
  { strict = false, globalSetup = '' } = {},
): Promise<{ code: number; lines: string[] }> {
  for (const [name, body] of Object.entries(files))
    writeFileSync(join(root, 'src', `${name}.test.ts`), `${head}${body}\n`)
  if (globalSetup !== '') writeFileSync(join(root, 'setup.ts'), globalSetup)
  const script = `import { runSuite } from ${JSON.stringify(suite)}
    process.exitCode = await runSuite(${JSON.stringify({ root, strict })})`
  const { TEST_NIGHTLY, TEST_RECORD, TEST_SEED, ...env } = process.env
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--input-type=module-typescript', '-e', script],
      { env },
      (_error, stdout) =>
        resolve({ code: child.exitCode ?? -1, lines: stripVTControlCharacters(stdout).trim().split('\n') }),
    )
  })
}
const flakyLines = (lines: string[]) => lines.filter((line) => line.startsWith('flaky: '))
const ranAgain = (lines: string[]) => lines.filter((line) => line.includes('runs once more'))

describe('a run of the tests', () => {
  it('passes when every file passes, counts the tests of each project, and says why one was skipped', async () => {
    const { code, lines } = await run({ a: passing, b: passing, c: skipping })
    expect(code).toBe(0)
    expect(lines).toContain('plain: 2 passed, 0 failed, 1 skipped')
    expect(lines).toContain('skipped: src/c.test.ts > needs a tool: it is not installed')
    expect(lines.at(-1)).toMatch(/^3 file runs/)
  })

  it('passes when files fail only once, or their worker dies once: runs each again, with the same seed, and says last which and why', async () => {
    const seeded = `${flaky}\nit('has a seed', () => console.log('seed ' + process.env.TEST_SEED))`
    const { code, lines } = await run({ a: passing, b: seeded, c: dyingOnce })
    expect(code).toBe(0)
    const [failed, died] = ['flaky: src/b.test.ts > fails once', 'flaky: src/c.test.ts > src/c.test.ts']
    expect(flakyLines(lines).sort()).toEqual([failed, died])
    const reasonOf = (line: string) => lines.slice(lines.indexOf(line)).join('\n')
    expect(reasonOf(failed)).toMatch(
      /^flaky: .*\n {2}AssertionError: expected 'seen' to be 'wanted'[\s\S]*src\/b\.test\.ts:\d+/,
    )
    expect(reasonOf(died)).toContain('SIGKILL')
    expect(lines.indexOf(flakyLines(lines)[0]!)).toBeGreaterThan(
      lines.findLastIndex((line) => line.startsWith('plain: ')),
    )
    const seeds = lines.filter((line) => /^seed \d+$/.test(line))
    expect([seeds.length, new Set(seeds).size]).toEqual([2, 1])
  })

  it('fails when a file fails only once, if it is strict', async () => {
    const { code, lines } = await run({ b: flaky }, { strict: true })
    expect([code, flakyLines(lines)]).toEqual([1, ['flaky: src/b.test.ts > fails once']])
  })

  it('fails when a file fails again, and runs no other than those that failed again', async () => {
    const { code, lines } = await run({ a: flaky, b: failing, 'other-b': passing })
    expect([code, ranAgain(lines).length, flakyLines(lines)]).toEqual([1, 2, ['flaky: src/a.test.ts > fails once']])
    expect(lines.filter((line) => line.startsWith('plain: ')).sort()).toEqual([
      'plain: 0 passed, 1 failed, 0 skipped',
      'plain: 1 passed, 0 failed, 0 skipped',
      'plain: 1 passed, 2 failed, 0 skipped',
    ])
  })

  it('runs nothing again when a file of the ledger failed', async () => {
    const { code, lines } = await run({ 'credits/a': flaky, b: flaky })
    expect([code, ranAgain(lines)]).toEqual([1, []])
  })

  it('runs nothing again when more than three files failed', async () => {
    const { code, lines } = await run({ a: flaky, b: flaky, c: flaky, d: flaky })
    expect([code, ranAgain(lines)]).toEqual([1, []])
  })

  it('fails when an error belongs to no file', async () => {
    const { code, lines } = await run({ a: flaky }, { globalSetup: failingSetup })
    expect([code, ranAgain(lines)]).toEqual([1, []])
  })
})

it('a file or a folder that is not there is named, with exit code 2', async () => {
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [command, 'test/suite.test.ts', 'src/nonexistent'], (error, _stdout, printed) =>
      resolve({ code: error?.code, stderr: printed }),
    )
  })
  expect([code, stderr]).toEqual([2, 'There is no such file or folder: src/nonexistent.\n'])
})
