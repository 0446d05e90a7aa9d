import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { printPassed, runNightly } from './nightly.ts'
import { runSuite } from './suite.ts'

// `npm test`: lint and format, the direction of imports, types, the generated client, then all tests. Stops at the first step that fails.
// `npm test -- FILE_OR_FOLDER …` and `npm test -- --changed` (what uncommitted changes reach) run these tests only.
// With `--strict` a file that fails and then passes fails the run (suite.ts).
// `npm run test:nightly [-- PART … FILE …]` runs the nightly tests, parts of them, or files of a part (nightly.ts); `-- --list` says
// when each part last passed.
// `npm run check` leaves the tests out; `npm run format` fixes what lint and format can fix.

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: {
    changed: { type: 'boolean', default: false },
    'check-only': { type: 'boolean', default: false },
    format: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    nightly: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

/** Runs a step and says how it ended. */
async function timed(title: string, work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const code = await work()
  console.log(`${title}: ${code === 0 ? 'ok' : 'FAILED'} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return code
}

/** Runs a program of the project's dependencies under the Node that runs this. */
const run = (title: string, program: string, parameters: string[]): Promise<number> =>
  timed(title, () => {
    const file = fileURLToPath(new URL(`../node_modules/${program}`, import.meta.url))
    const child = spawn(process.execPath, [file, ...parameters], { cwd: root, stdio: 'inherit' })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (code) => resolve(code ?? 1))
    })
  })

type Step = () => Promise<number>
const lint: Step = () => run('lint and format', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.'])
// With declarations, as the package has them: what an exported function returns must have a name.
const types: Step = () => run('types', 'typescript/bin/tsc', ['--noEmit', '--declaration'])
const typesOfPage: Step = () => run('types of the page', 'typescript/bin/tsc', ['--noEmit', '-p', 'dashboard'])
const typesOfItsTests: Step = () =>
  run('types of its tests', 'typescript/bin/tsc', ['--noEmit', '-p', 'test/dashboard'])
const imports: Step = () => run('direction of imports', '../scripts/check-imports.ts', [])
const budgets: Step = () => run('budgets', '../scripts/check-budgets.ts', [])
/** Every text of the page has a message in each language, and no language has a message that no text needs. */
const messages: Step = () =>
  run('messages of the page', '@lingui/cli/dist/lingui.js', [
    ...['check', 'sync', '--clean', '--locale', 'de', '--config', 'dashboard/lingui.config.ts'],
  ])
const client: Step = () => run('client', '../scripts/client.ts', ['--check'])
const format: Step = () => run('format', '@biomejs/biome/bin/biome', ['check', '--write', '.'])
const tests: Step = () => {
  const parameters = [...(values.changed ? ['--changed'] : []), ...positionals]
  return timed('tests', () => runSuite({ root, parameters, strict: values.strict }))
}

/** The first words name parts, the others files of them: `crash test/crash/mail`. */
const nightly: Step = async () => {
  if (values.list) {
    printPassed()
    return 0
  }
  const isFile = (word: string) => word.includes('/')
  return runNightly(
    root,
    positionals.filter((word) => !isFile(word)),
    positionals.filter(isFile),
  )
}

/** Runs steps one after the other until one fails. */
async function inTurn(steps: readonly Step[]): Promise<number> {
  for (const step of steps) {
    const code = await step()
    if (code !== 0) return code
  }
  return 0
}

/** Two at a time: most of them use one processor. */
const checks: Step = async () => {
  const codes = await Promise.all([
    inTurn([types]),
    inTurn([client, lint, imports, budgets, messages, typesOfPage, typesOfItsTests]),
  ])
  return Math.max(...codes)
}

function chooseSteps(): Step[] {
  if (values.format) return [format]
  if (values.nightly) return [nightly]
  if (values['check-only']) return [checks]
  const isPart = values.changed || positionals.length > 0
  return isPart ? [tests] : [checks, tests]
}

/** The files and folders that were named and are not there: vitest would only run nothing. */
const missing = positionals.filter(
  (word) => (!values.nightly || word.includes('/')) && !existsSync(resolve(root, word)),
)
if (missing.length > 0) {
  console.error(`There is no such file or folder: ${missing.join(', ')}.`)
  process.exit(2)
}

process.exitCode = await inTurn(chooseSteps())
