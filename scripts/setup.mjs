// Installs the dependencies from the lockfile when they are missing or of another lockfile, and makes sure that the
// Node that came with them is the pinned one. Runs under Node 20 or later.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = fileURLToPath(new URL('../node_modules/.wishwell-setup', import.meta.url))
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The Node that everything runs on: `bin/node` of the `node` package. */
export const pinnedNode = fileURLToPath(
  new URL(`../node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`, import.meta.url),
)
const pinnedVersion = `v${manifest.devDependencies.node}`

const fingerprint = () =>
  createHash('sha256')
    .update(readFileSync(new URL('../package-lock.json', import.meta.url)))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')

const isSetUp = (wanted) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(pinnedNode)

function install() {
  console.error('Installing dependencies (once, about a minute) …')
  const environment = { ...process.env }
  // Variables that the calling npm has set for itself must not configure this one.
  for (const name of Object.keys(environment))
    if (/^npm_(config|lifecycle|package|command)/i.test(name)) delete environment[name]
  // Also where NODE_ENV=production leaves them out: the pinned Node and what builds the page are dependencies of the development.
  const parameters = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', parameters, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (error) throw new Error(`npm could not be started: ${error.message}`)
  if (status !== 0) throw new Error('npm ci failed; its output is above.')
}

/** The version that a Node binary says it is; null when it does not run. */
function versionOf(binary) {
  const { stdout, status } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

/**
 * @throws when the installation fails, or brought another Node than the pinned one: the `node` package fetches its binary
 * in an install step of its own, outside of the lockfile.
 */
export async function ensureSetUp() {
  const wanted = fingerprint()
  if (isSetUp(wanted)) return
  const [major] = process.versions.node.split('.').map(Number)
  if (major < 20) throw new Error(`Node ${process.versions.node} is too old to set Wishwell up; use Node 20 or later.`)
  install()
  const found = existsSync(pinnedNode) ? versionOf(pinnedNode) : null
  if (found !== pinnedVersion) {
    throw new Error(
      `the installed Node is ${found ?? 'missing'}, but Wishwell needs ${pinnedVersion}. ` +
        'Install scripts must be allowed for the package "node" (see allowScripts in package.json); ' +
        'then delete node_modules and start again.',
    )
  }
  writeFileSync(stamp, wanted)
}
