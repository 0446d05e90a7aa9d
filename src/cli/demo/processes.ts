import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { moduleFile } from '../../runtime/module-file.ts'

const main = fileURLToPath(moduleFile('../../main', import.meta.url))
/** When to kill a service that does not end; longer than its shutdown may take. */
const stopTimeoutMs = 35_000

export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
}

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
  ended: Promise<Outcome>
}

/** Starts the real service. @param directory for its log @param environment complete, except for the compile cache */
export async function startDemoService(directory: string, environment: Record<string, string>): Promise<DemoService> {
  const logFile = join(directory, 'service.log')
  const log = openSync(logFile, 'w')
  const { child, ended } = run(['serve'], {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    // The channel closes when the demo is killed, which ends the service.
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
  return { url: await Promise.race([url, died]), ended }
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
