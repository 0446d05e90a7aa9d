// The Node that an installed package brings on a machine with an old one: the official binary, which npm fetches from its registry into the
// cache of this user, once. `npm ci` compares it with the hash in node-packages.json, so it is the one that this package was tested with.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { version, packages } = JSON.parse(readFileSync(new URL('node-packages.json', import.meta.url), 'utf8'))

/** The settings of npm that say where and how it fetches. The others are those of the npm that has started this process. */
const keptSettings =
  /^npm_config_(registry|cache|userconfig|globalconfig|offline|prefer_offline|proxy|https_proxy|noproxy|cafile|ca|strict_ssl|\/\/.*)$/i

const npmEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || keptSettings.test(name)))

/** A project whose lockfile names nothing but this Node, for npm. */
function writeProject(directory, { name, integrity }) {
  const root = { name: 'wishwell-node', version: '1.0.0', dependencies: { [name]: version } }
  const locked = { version, integrity }
  const lockfile = { ...root, lockfileVersion: 3, packages: { '': root, [`node_modules/${name}`]: locked } }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...root, private: true }))
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lockfile))
}

const fail = (what) => {
  throw new Error(
    `Wishwell needs Node ${version.split('.')[0]} or later, and this is ${process.versions.node}. ${what} ` +
      'Install a newer Node (https://nodejs.org), and run the command again.',
  )
}

function install(directory) {
  // Nothing of it is run meanwhile: the package has no install script, and none is allowed.
  const parameters = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', parameters, {
    cwd: directory,
    env: npmEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (error) fail(`npm, which would fetch one, could not be started (${error.message}).`)
  if (status !== 0) fail('npm could not fetch one; its output is above.')
}

/** Fetches into a directory beside the final one, so that a fetch that was interrupted leaves nothing that looks whole. */
function fetchNode(cache, final, found, binary) {
  console.error(
    `Node ${process.versions.node} is too old: fetching Node ${version} from the npm registry (once, about 50 MB) …`,
  )
  const work = mkdtempSync(join(cache, '.node-'))
  try {
    writeProject(work, found)
    install(work)
    const { stdout } = spawnSync(join(work, binary), ['--version'], { encoding: 'utf8' })
    if (stdout?.trim() !== `v${version}`) fail(`The one that was fetched (${found.name}) does not run here.`)
    try {
      renameSync(work, final)
    } catch (error) {
      // Another process was faster.
      if (!existsSync(join(final, binary))) throw error
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * @param cache the cache directory of this user; null when there is none.
 * @returns the path of the binary; fetches it when it is not there.
 * @throws Error that says what to do when that is not possible.
 */
export function ensureFetchedNode(cache, platform = `${process.platform}-${process.arch}`) {
  const found = packages[platform]
  if (found === undefined) return fail(`npm has no package of it for ${platform}.`)
  if (cache === null) return fail('It would be fetched into the cache of this user (XDG_CACHE_HOME), which is missing.')
  const final = join(cache, `node-${version}-${platform}`)
  const binary = join('node_modules', found.name, found.binary)
  if (!existsSync(join(final, binary))) fetchNode(cache, final, found, binary)
  return join(final, binary)
}
