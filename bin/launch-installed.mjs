// How the launcher starts a command where the package is installed: the compiled JavaScript under the Node of the machine when that is new
// enough, else under the pinned one, which is fetched once.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCacheDirectory } from './cache-directory.mjs'
import { ensureFetchedNode } from './fetched-node.mjs'
import { runNode } from './run-node.mjs'

/** The first Node that has everything that the code uses. */
const neededMajor = 24

/** Runs the command, and ends this process as that one ends. */
export async function launch(parameters) {
  const [major] = process.versions.node.split('.').map(Number)
  const cache = openCacheDirectory()
  const node = major >= neededMajor ? process.execPath : ensureFetchedNode(cache)
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
  await runNode(node, main, parameters, { compileCache: cache === null ? null : join(cache, 'compiled') })
}
