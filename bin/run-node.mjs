// Runs a file of the project under a Node, as if it had been started directly.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/**
 * Reduces the memory of the process (docs/decisions/030): the young generation has 4 MB a thread instead of 16; garbage
 * is collected when the heap has grown by 15 % of what is in use, instead of by several times that; and V8 compiles and collects with two threads instead of four.
 */
export const serviceFlags = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=4',
  '--heap-growing-percent=15',
  '--v8-pool-size=2',
]

/**
 * Defaults for the same purpose: Node caches compiled code, and TypeScript without its types, in a directory that belongs to this user; glibc
 * has two pools of freed memory instead of eight a processor, and returns the free memory at their ends, instead of up to
 * twice the largest block that was ever freed.
 */
const environmentWith = (compileCache) => ({
  ...(compileCache === null ? {} : { NODE_COMPILE_CACHE: compileCache }),
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  ...process.env,
})

const orphanCheckMs = 250

/**
 * npm forwards a signal to the shell in between, and the shell may die of it without forwarding it: then the parent of
 * this process is suddenly another one. Only under npm: elsewhere a service may outlive the shell that started it.
 */
function onOrphaned(end) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    end()
  }, orphanCheckMs)
  check.unref()
}

/**
 * Starts a file and ends this process as that one ends.
 * @param node the binary
 * @param compileCache a directory for compiled code; null for none
 */
export function runNode(node, file, parameters, { compileCache }) {
  // The channel closes when this process is killed: a service must not outlive its launcher.
  const child = spawn(node, [...serviceFlags, file, ...parameters], {
    env: environmentWith(compileCache),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // A terminal sends Ctrl-C to both processes; a supervisor signals only this one. In both cases the child decides.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  onOrphaned(() => child.kill('SIGTERM'))
  return new Promise((_resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
  })
}
