// How the launcher starts a command where the package is installed: the compiled JavaScript under the Node of the machine.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCacheDirectory } from './cache-directory.mjs'
import { runNode } from './run-node.mjs'

/** npm only warns of an older Node, and the code would fail somewhere under it. */
function checkNode() {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const needed = Number(/\d+/.exec(engines.node)[0])
  const { node: present } = process.versions
  if (Number.parseInt(present, 10) >= needed) return
  throw new Error(
    `Node ${needed} or later is needed, and this is Node ${present}: install a newer one from https://nodejs.org or by ` +
      `your version manager (such as "nvm install ${needed}"), and run the command again.`,
  )
}

/** Runs the command, and ends this process as that one ends. @throws Error that says what to do where Node is too old. */
export async function launch(parameters) {
  checkNode()
  const cache = openCacheDirectory()
  const main = fileURLToPath(new URL('../dist/src/main.js', import.meta.url))
  await runNode(process.execPath, main, parameters, { compileCache: cache === null ? null : join(cache, 'compiled') })
}
