#!/usr/bin/env node
import { runPinned } from '../scripts/run-pinned.mjs'
// The way in, under whatever Node the machine has (20 or later): installs what is missing and hands over to the pinned
// Node 24. Plain JavaScript, because an old Node cannot read TypeScript.
import { ensureSetUp } from '../scripts/setup.mjs'

const [first, second, ...rest] = process.argv.slice(2)
const [script, parameters] = first === '--run' && second ? [second, rest] : ['src/main.ts', process.argv.slice(2)]

try {
  await ensureSetUp()
  await runPinned(script, parameters)
} catch (error) {
  console.error(`wishwell: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
