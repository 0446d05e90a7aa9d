// How the launcher starts a command in a clone: it installs the dependencies, builds the page and the service where they are needed, and
// runs the TypeScript of other commands under the pinned Node. `--run FILE` runs another file of the project than the command.
import { fileURLToPath } from 'node:url'
import { runNode } from '../bin/run-node.mjs'
import { ensurePage } from './build-dashboard.mjs'
import { ensureService } from './build-service.mjs'
import { ensureSetUp, pinnedNode } from './setup.mjs'

const root = new URL('../', import.meta.url)
const main = 'src/main.ts'

/** Only the service, the demo, the tests and the package need the page. Without a command, `main` starts the service. */
const needsPage = (script, [first = 'serve', ...others]) =>
  script === main
    ? ['serve', 'demo'].includes(first) && !others.includes('--help')
    : ['scripts/test.ts', 'scripts/build-package.ts'].includes(script) && !/^--(check-only|format)$/.test(first)

/** Runs the command, and ends this process as that one ends. @param given the parameters of the launcher. */
export async function launch(given) {
  const [first, second, ...rest] = given
  const [script, parameters] = first === '--run' && second ? [second, rest] : [main, given]
  await ensureSetUp()
  if (needsPage(script, parameters) && !ensurePage()) {
    // Not fatal: the tests report it; the API works without a page, and / says how to build it.
    console.error(
      'wishwell: the page could not be built; the reason is above. Continuing with the earlier page, if there is one.',
    )
  }
  if (script === main && ['serve', undefined].includes(parameters[0]) && !parameters.includes('--help'))
    return runNode(pinnedNode, ensureService(), parameters, { compileCache: null })
  await runNode(pinnedNode, fileURLToPath(new URL(script, root)), parameters, {
    compileCache: fileURLToPath(new URL('node_modules/.cache/compiled', root)),
  })
}
