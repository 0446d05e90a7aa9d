// Builds the service of a clone as JavaScript into .service/, before it starts: Node's own compiler of TypeScript, and its cache, would take 40 MB of
// the service for as long as it runs. Plain JavaScript, because bin/wishwell.mjs imports it under any Node of the machine.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exchange } from './build-dashboard.mjs'
import { pinnedNode } from './setup.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, '.service')
const marker = join(built, 'built')
const configuration = 'tsconfig.build.json'

const filesOf = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** The moment of the last change; 0 for a missing file. */
const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

function isStale() {
  const sources = ['src', 'simulator', 'client'].flatMap(filesOf)
  // Also a folder, which changes when a file is deleted.
  const all = [...sources, ...new Set(sources.map(dirname)), join(root, 'tsconfig.json'), join(root, configuration)]
  const builtAt = changedAt(marker)
  return all.some((file) => changedAt(file) > builtAt)
}

/** Runs the compiler on what tsconfig.build.json names. @throws when it fails */
export function runCompiler(directory, options) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const parameters = [compiler, '-p', join(root, configuration), '--outDir', directory, ...options]
  const { status } = spawnSync(pinnedNode, parameters, { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error('the code could not be compiled')
}

/** Makes JavaScript, without comments, and copies what modules read beside themselves, such as the weights of detection. @throws when the code cannot be compiled */
export function compileInto(directory) {
  runCompiler(directory, ['--noCheck', '--declaration', 'false', '--removeComments'])
  // The compiler copies JSON itself.
  for (const file of filesOf('src').filter((path) => !/\.(ts|md|json)$/.test(path))) {
    const copy = join(directory, file.slice(root.length).split(sep).join('/'))
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(file, copy)
  }
}

/** @returns the file that starts the service, built anew when a source has changed. @throws when it cannot be built */
export function ensureService() {
  const main = join(built, 'src', 'main.js')
  if (existsSync(main) && !isStale()) return main
  const startedAt = new Date()
  const fresh = join(root, `.dist-${process.pid}`)
  try {
    compileInto(fresh)
    writeFileSync(join(fresh, 'built'), '')
    // A source that changes meanwhile is newer than the build.
    utimesSync(join(fresh, 'built'), startedAt, startedAt)
    exchange(fresh, built)
  } catch (error) {
    // Another process may have built it meanwhile.
    if (!existsSync(main) || isStale()) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return main
}
