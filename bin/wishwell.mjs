#!/usr/bin/env node
// The way in, under whatever Node the machine has (20 or later): installs what is missing and hands over to the pinned
// Node 24. Plain JavaScript, because an old Node cannot read TypeScript.
import { ensurePage } from '../scripts/build-dashboard.mjs'
import { runPinned } from '../scripts/run-pinned.mjs'
import { ensureSetUp } from '../scripts/setup.mjs'

const [first, second, ...rest] = process.argv.slice(2)
const [script, parameters] = first === '--run' && second ? [second, rest] : ['src/main.ts', process.argv.slice(2)]

/** What shows the page to somebody: the service and the demo, and the tests of it. */
const needsPage =
  script === 'src/main.ts'
    ? parameters[0] === 'serve' && !parameters.includes('--help')
    : ['scripts/demo.ts', 'scripts/test.ts'].includes(script) && !/^--(check-only|format)$/.test(parameters[0] ?? '')

try {
  await ensureSetUp()
  if (needsPage && !ensurePage()) {
    // The tests say what is wrong; the API works without a page, and / says how to get one.
    console.error(
      'wishwell: the page could not be built; the reason is above. Going on with the page of before, if there is one.',
    )
  }
  await runPinned(script, parameters)
} catch (error) {
  console.error(`wishwell: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
