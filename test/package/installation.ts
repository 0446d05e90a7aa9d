import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Packed {
  filename: string
  /** Of the tarball, in bytes. */
  size: number
  files: { path: string; size: number }[]
}

/** A Node to run the package with. */
export interface NodeOnMachine {
  version: string
  directory: string
}

/** The Node that runs this, and one of this machine that is older than 24; null where it has none. */
export function findNodes(): { pinned: NodeOnMachine; old: NodeOnMachine | null } {
  const pinned = { version: process.version, directory: dirname(process.execPath) }
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const { stdout } = spawnSync(join(directory, 'node'), ['--version'], { encoding: 'utf8' })
    const major = Number(/^v(\d+)/.exec(stdout ?? '')?.[1])
    if (major >= 20 && major < 24) return { pinned, old: { version: stdout.trim(), directory } }
  }
  return { pinned, old: null }
}

export interface Output {
  exitCode: number | null
  stdout: string
  stderr: string
}

/** An empty folder that the package is installed into, as by a user without a clone. */
export interface Installation {
  folder: string
  packed: Packed
  /** The folder of the package in it. */
  packageFolder: string
  /** The environment of a user with that Node: nothing of this process but the way to programs and npm's settings of the machine. */
  environment(node: NodeOnMachine, more?: Record<string, string>): Record<string, string>
  /** Runs a program in the folder, to its end. */
  run(node: NodeOnMachine, command: string[], more?: Record<string, string>): Promise<Output>
  /** Starts a program in the folder. */
  start(node: NodeOnMachine, command: string[], more?: Record<string, string>): ChildProcess
  remove(): void
}

/** What the user of a machine has, and no variable that a caller such as `npm test` has set. */
const kept = ['HTTPS_PROXY', 'https_proxy', 'NODE_EXTRA_CA_CERTS', 'npm_config_cafile', 'npm_config_registry']
const ofMachine = () =>
  Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]!]] : [])))

/** Packs this clone with `npm pack`, and installs the tarball with the npm of the machine. @throws with npm's output. */
export async function installPackage(node: NodeOnMachine): Promise<Installation> {
  const base = mkdtempSync(join(tmpdir(), 'wishwell-package-'))
  const folder = join(base, 'empty')
  const home = join(base, 'home')
  for (const path of [folder, home]) mkdirSync(path)
  // The cache of the machine's npm: what is in it is not fetched again.
  const cache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim()
  const environment: Installation['environment'] = ({ directory }, more = {}) => ({
    PATH: [directory, process.env.PATH].join(delimiter),
    HOME: home,
    npm_config_cache: cache,
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    ...ofMachine(),
    ...more,
  })
  const start: Installation['start'] = (by, [program = '', ...parameters], more) =>
    spawn(program, parameters, { cwd: folder, env: environment(by, more), stdio: ['ignore', 'pipe', 'pipe'] })
  const run: Installation['run'] = (by, command, more) => outputOf(start(by, command, more))
  const demand = async (output: Promise<Output>) => {
    const { exitCode, stdout, stderr } = await output
    if (exitCode !== 0) throw new Error(`npm ended with ${exitCode}:\n${stdout}\n${stderr}`)
    return stdout
  }
  const packing = spawn('npm', ['pack', '--json', '--pack-destination', base], { cwd: root })
  const [packed] = JSON.parse(await demand(outputOf(packing))) as [Packed]
  await demand(run(node, ['npm', 'install', '--no-audit', '--no-fund', join(base, packed.filename)]))
  return {
    folder,
    packed,
    packageFolder: join(folder, 'node_modules', 'wishwell'),
    environment,
    run,
    start,
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  }
}

export function outputOf(child: ChildProcess): Promise<Output> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
}
