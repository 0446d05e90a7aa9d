#!/usr/bin/env node
// The launcher. Runs under any Node of the machine (20 or later), installs the dependencies when they are missing, and starts the pinned
// Node 24. Plain JavaScript, because an old Node cannot read TypeScript.
import { ensurePage } from '../scripts/build-dashboard.mjs'
import { runPinned } from '../scripts/run-pinned.mjs'
import { ensureSetUp } from '../scripts/setup.mjs'

const [first, second, ...rest] = process.argv.slice(2)
const [script, parameters] = first === '--run' && second ? [second, rest] : ['src/main.ts', process.argv.slice(2)]

/** Only the service, the demo and the tests need the page. */
const needsPage =
  script === 'src/main.ts'
    ? parameters[0] === 'serve' && !parameters.includes('--help')
    : ['scripts/demo.ts', 'scripts/test.ts'].includes(script) && !/^--(check-only|format)$/.test(parameters[0] ?? '')

try {
  await ensureSetUp()
  if (needsPage && !ensurePage()) {
    // Not fatal: the tests report it; the API works without a page, and / says how to build it.
    console.error(
      'wishwell: the page could not be built; the reason is above. Continuing with the earlier page, if there is one.',
    )
  }
  await runPinned(script, parameters)
} catch (error) {
  console.error(`wishwell: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
