import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

// `npm test`: lint and format, types, then the whole suite on both homes. Stops at the first step that fails.
// `npm run check` leaves the suite out; `npm run format` mends what the first step can mend.

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: { 'check-only': { type: 'boolean' }, format: { type: 'boolean' } },
  allowPositionals: true,
})

/** Runs a program of the project's dependencies under the Node that runs this. */
function run(title: string, program: string, parameters: string[]): Promise<number> {
  const startedAt = performance.now()
  const file = fileURLToPath(new URL(`../node_modules/${program}`, import.meta.url))
  const child = spawn(process.execPath, [file, ...parameters], { cwd: root, stdio: 'inherit' })
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

const checks: [string, string, string[]][] = [
  ['lint and format', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']],
  ['types', 'typescript/bin/tsc', ['--noEmit']],
  ['types of the page', 'typescript/bin/tsc', ['--noEmit', '-p', 'web']],
  ['types of its tests', 'typescript/bin/tsc', ['--noEmit', '-p', 'test/web']],
]
const format: [string, string, string[]] = ['format', '@biomejs/biome/bin/biome', ['check', '--write', '.']]
const suite: [string, string, string[]] = ['tests', 'vitest/vitest.mjs', ['run', ...positionals]]

const steps = values.format ? [format] : values['check-only'] ? checks : [...checks, suite]
for (const [title, program, parameters] of steps) {
  if ((await run(title, program, parameters)) !== 0) process.exit(1)
}
