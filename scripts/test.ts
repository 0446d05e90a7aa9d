import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Suite } from '../test/classify.ts'
import type { Failures } from '../test/report-failures.ts'

// `npm test`: lint and format, types, then the whole suite. Stops at the first step that fails. A few test files that failed are
// run once more by themselves, and named (docs/decisions/034).
// `npm run test:long` runs the campaigns of random and exhaustive checks with many rounds.
// `npm run check` leaves the suite out; `npm run format` mends what the first step can mend.

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: { 'check-only': { type: 'boolean' }, format: { type: 'boolean' }, long: { type: 'boolean' } },
  allowPositionals: true,
})

/** Runs a program of the project's dependencies under the Node that runs this. */
function run(title: string, program: string, parameters: string[], environment = {}): Promise<number> {
  const startedAt = performance.now()
  const file = fileURLToPath(new URL(`../node_modules/${program}`, import.meta.url))
  const env = { ...process.env, ...environment }
  const child = spawn(process.execPath, [file, ...parameters], { cwd: root, stdio: 'inherit', env })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      console.log(
        `${title}: ${code === 0 ? 'ok' : 'FAILED'} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
      )
      resolve(code ?? 1)
    })
  })
}

/** More failing files than this are no accident of a busy machine. */
const maxSecondRuns = 6

/** @returns what failed, or null when the run did not get so far as to say. */
function readFailures(file: string): Failures | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** Runs each failed file once more, alone on the machine. @returns whether all of them passed. */
async function runAgain({ files, ofNoFile }: Failures, environment: object): Promise<boolean> {
  if (ofNoFile > 0 || files.length === 0 || files.length > maxSecondRuns) return false
  const again: string[] = []
  for (const { project, file } of files) {
    const name = `${project} ${relative(root, file)}`
    const parameters = ['run', '--project', project, '--no-file-parallelism', file]
    if ((await run(`second run of ${name}`, 'vitest/vitest.mjs', parameters, environment)) !== 0) return false
    again.push(name)
  }
  for (const name of again) console.log(`FLAKY: ${name} failed, and passed when it was run again by itself`)
  return true
}

/** Runs a suite, or the named files whichever suite they are in. */
async function runSuite(title: string, suite: Suite, environment = {}): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-test-'))
  const failuresFile = join(directory, 'failures.json')
  const included = positionals.length > 0 ? {} : { TEST_SUITE: suite }
  try {
    const code = await run(title, 'vitest/vitest.mjs', ['run', ...positionals], {
      ...environment,
      ...included,
      TEST_FAILURES_FILE: failuresFile,
    })
    const failures = code === 0 ? null : readFailures(failuresFile)
    return failures !== null && (await runAgain(failures, environment)) ? 0 : code
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const runTests = () => runSuite('tests', 'quick')

/** What `npm test` leaves out, and the campaigns at their large size (test/classify.ts, test/campaign-size.ts). */
const runCampaigns = () => runSuite('long tests', 'long', { TEST_LONG: '1' })

type Step = () => Promise<number>
const lint: Step = () => run('lint and format', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.'])
const types: Step = () => run('types', 'typescript/bin/tsc', ['--noEmit'])
const typesOfPage: Step = () => run('types of the page', 'typescript/bin/tsc', ['--noEmit', '-p', 'dashboard'])
const typesOfItsTests: Step = () =>
  run('types of its tests', 'typescript/bin/tsc', ['--noEmit', '-p', 'test/dashboard'])
const imports: Step = () => run('direction of imports', '../scripts/check-imports.ts', [])
const format: Step = () => run('format', '@biomejs/biome/bin/biome', ['check', '--write', '.'])

const checks = [lint, imports, types, typesOfPage, typesOfItsTests]
function chooseSteps(): Step[] {
  if (values.format) return [format]
  if (values.long) return [runCampaigns]
  return values['check-only'] ? checks : [...checks, runTests]
}

for (const step of chooseSteps()) {
  if ((await step()) !== 0) process.exit(1)
}
