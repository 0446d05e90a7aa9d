import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Suite } from '../test/classify.ts'
import { runSuite } from './suite.ts'

// `npm test`: lint and format, types, then the whole suite. Stops at the first step that fails.
// `npm run test:long` runs the campaigns of random and exhaustive checks with many rounds; `-- --shard 2/6` runs the second of six parts.
// `npm run check` leaves the suite out; `npm run format` mends what the first step can mend.
// With `-- --strict` a file that fails and then passes fails the run (suite.ts).

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: {
    'check-only': { type: 'boolean' },
    format: { type: 'boolean' },
    long: { type: 'boolean' },
    shard: { type: 'string' },
    strict: { type: 'boolean' },
  },
  allowPositionals: true,
})

/** @returns what is wrong with a part such as `2/6`; null when nothing is. */
function shardFault(shard: string): string | null {
  const [part = 0, parts = 0] = /^\d+\/\d+$/.test(shard) ? shard.split('/').map(Number) : []
  return part >= 1 && part <= parts ? null : `--shard ${shard}: expected PART/PARTS, such as 2/6.`
}

const fault = values.shard === undefined ? null : shardFault(values.shard)
if (fault !== null) {
  console.error(fault)
  process.exit(2)
}

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

/** Runs a suite, or the named files whichever suite they are in. */
const runTestsOf = (title: string, suite: Suite, environment = {}): Promise<number> =>
  timed(title, () =>
    runSuite({
      root,
      parameters: [...(values.shard ? [`--shard=${values.shard}`] : []), ...positionals],
      environment: { ...environment, ...(positionals.length > 0 ? {} : { TEST_SUITE: suite }) },
      strict: values.strict ?? false,
    }),
  )

const runTests = () => runTestsOf('tests', 'quick')

/** What `npm test` leaves out, and the campaigns at their large size (test/classify.ts, test/campaign-size.ts). */
const runCampaigns = () => runTestsOf('long tests', 'long', { TEST_LONG: '1' })

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
