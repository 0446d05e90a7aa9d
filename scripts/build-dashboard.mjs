// `npm run build:dashboard`: builds the page into dashboard/dist, with a hash of its sources that avoids needless builds. Plain
// JavaScript, because bin/wishwell.mjs imports it under any Node of the machine.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinnedNode } from './setup.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'dashboard')
const built = join(page, 'dist')
/**
 * The record of a build: the files of the service that are part of the page, the hash of all sources, and the assets of
 * this build and of those before it.
 */
const record = '.sources'

/** Sources besides the files of the page: another bundler or another build makes another page of the same files. */
const always = ['package-lock.json', 'tsconfig.json', 'scripts/build-dashboard.mjs']

/** The documents, which are pages of `/docs`. */
const documents = () =>
  readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)

/** The builds whose assets remain: a running service goes on serving the page of its start. */
const keptBuilds = 10

/** The files of the page itself, as paths from the root. */
const ownFiles = () =>
  readdirSync(page, { recursive: true })
    .map((path) => path.replaceAll(sep, '/'))
    .filter(
      (path) =>
        !/^(\.?dist|node_modules|src\/texts\/messages\/en)([-/]|$)/.test(path) && statSync(join(page, path)).isFile(),
    )
    .map((path) => `dashboard/${path}`)

/** The files of the service, any of which a build may borrow. */
const everyFile = () =>
  readdirSync(join(root, 'src'), { recursive: true })
    .map((path) => `src/${path.replaceAll(sep, '/')}`)
    .filter((path) => statSync(join(root, path)).isFile())

function hashOf(borrowed) {
  const hash = createHash('sha256')
  for (const path of [...new Set([...always, ...documents(), ...ownFiles(), ...borrowed])].sort()) {
    const file = join(root, path)
    hash.update(`${path}\0`).update(existsSync(file) ? readFileSync(file) : 'missing')
  }
  return hash.digest('hex')
}

/** @returns the record of the present page; null when it cannot be read. */
function readRecord() {
  try {
    return JSON.parse(readFileSync(join(built, record), 'utf8'))
  } catch {
    return null
  }
}

/** Whether the page is missing, or was built from other sources. False without sources. */
export function isPageStale() {
  if (!existsSync(join(page, 'index.html'))) return false
  if (!existsSync(join(built, 'index.html'))) return true
  const present = readRecord()
  return !Array.isArray(present?.borrowed) || hashOf(present.borrowed) !== present.hash
}

/** The files of the service that became part of the page, as paths from the root. */
const borrowedBy = ({ output }) =>
  output
    .flatMap((chunk) => chunk.moduleIds ?? [])
    .map((id) => relative(root, resolve(id.split('?')[0])).replaceAll(sep, '/'))
    .filter((path) => /^(src|client)\//.test(path))

/** Copies the assets of earlier builds into a new one. Their names contain a hash, so they do not collide. @returns all builds. */
function keepEarlierAssets(fresh) {
  const list = (directory) => (existsSync(directory) ? readdirSync(directory) : [])
  const own = list(join(fresh, 'assets'))
  const earlier = (readRecord()?.builds ?? []).slice(0, keptBuilds - 1)
  const kept = new Set(earlier.flat())
  mkdirSync(join(fresh, 'assets'), { recursive: true })
  for (const name of list(join(built, 'assets'))) {
    if (kept.has(name) && !own.includes(name)) copyFileSync(join(built, 'assets', name), join(fresh, 'assets', name))
  }
  return [own, ...earlier]
}

/** Replaces a build by a new one. There is none only between two renames. */
export function exchange(fresh, built) {
  const old = `${fresh}-old`
  if (existsSync(built)) renameSync(built, old)
  renameSync(fresh, built)
  rmSync(old, { recursive: true, force: true })
}

/** Builds the page into dashboard/dist, in this process. @throws when it cannot be built; then an earlier page is unchanged. */
export async function buildPage() {
  // Imported only here: isPageStale works without the bundler.
  const { build } = await import('vite')
  // In another directory first: a service that starts meanwhile must not find an incomplete page.
  const fresh = join(page, `.dist-${process.pid}`)
  const before = hashOf(everyFile())
  try {
    const result = await build({
      configFile: join(page, 'vite.config.ts'),
      build: { outDir: fresh, emptyOutDir: true },
      logLevel: 'warn',
    })
    const borrowed = borrowedBy(result)
    const hash = hashOf(borrowed)
    // A source that changed meanwhile may be in the page or not: the next call builds it again.
    const isSure = hashOf(everyFile()) === before
    writeFileSync(
      join(fresh, record),
      JSON.stringify({ borrowed, hash: isSure ? hash : null, builds: keepEarlierAssets(fresh) }),
    )
    exchange(fresh, built)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
}

/** Builds the page when it is stale, under the pinned Node. @returns whether there is an up-to-date page, or none to build. */
export function ensurePage() {
  if (!isPageStale()) return true
  console.error('Building the page (once, some seconds) …')
  // Its output is not the result of the command, so it goes to stderr.
  const { status } = spawnSync(pinnedNode, [fileURLToPath(import.meta.url)], { stdio: ['ignore', 2, 2] })
  // After a failure another process may have built it.
  return status === 0 || !isPageStale()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPage()
  console.log('The page is built: dashboard/dist')
}
