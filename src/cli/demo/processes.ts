import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateApiKey } from '../../accounts/api-key.ts'
import type { PlatformSimulator } from '../../platform-simulator/simulator.ts'
import { moduleFile } from '../../runtime/module-file.ts'

const main = fileURLToPath(moduleFile('../../main', import.meta.url))
/** Then a service that does not end is killed. Longer than its own shutdown may take. */
const stopTimeoutMs = 35_000

export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
}

/** The processes that have not ended. */
const running = new Map<ChildProcess, Promise<Outcome>>()

/** Runs `wishwell`. */
export function run(parameters: string[], options: SpawnOptions): { child: ChildProcess; ended: Promise<Outcome> } {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...parameters], options)
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  running.set(child, ended)
  return { child, ended }
}

export interface DemoService {
  url: string
  apiKey: string
  adminKey: string
  ended: Promise<Outcome>
}

/** Starts the real service on a fresh database. It does not inherit the environment, so that no real credentials reach it, but the
 * cache of compiled code. */
export async function startDemoService(directory: string, simulator: PlatformSimulator): Promise<DemoService> {
  const apiKey = generateApiKey()
  const logFile = join(directory, 'service.log')
  const log = openSync(logFile, 'w')
  const adminKey = randomBytes(24).toString('base64url')
  const environment = {
    PORT: '0',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATA_DIR: join(directory, 'data'),
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: adminKey,
    // The simulated platforms accept any credentials, and allow more with some.
    GITHUB_TOKEN: 'demo',
    GITLAB_TOKEN: 'demo',
    STACKEXCHANGE_API_KEY: 'demo',
  }
  const { child, ended } = run(['serve'], {
    env: { ...simulator.environment, ...environment },
    // The channel closes when the demo is killed; then the service ends.
    stdio: ['ignore', 'pipe', log, 'ipc'],
  })
  closeSync(log)
  const url = new Promise<string>((resolve) => {
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
      const address = /^Wishwell is running at (\S+)/m.exec(printed)?.[1]
      if (address) resolve(address)
    })
  })
  const died = ended.then(({ code, signal }): never => {
    throw new Error(`the service ended (${signal ?? code}):\n${readFileSync(logFile, 'utf8')}`)
  })
  return { url: await Promise.race([url, died]), apiKey, adminKey, ended }
}

/** Ends every process of the demo. */
export async function endChildren(): Promise<void> {
  const kill = (signal: NodeJS.Signals) => {
    for (const child of running.keys()) child.kill(signal)
  }
  kill('SIGTERM')
  const timer = setTimeout(kill, stopTimeoutMs, 'SIGKILL')
  await Promise.allSettled(running.values())
  clearTimeout(timer)
}
