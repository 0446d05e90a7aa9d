// Runs a TypeScript file of the project under the pinned Node, as if it had been started directly.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { pinnedNode } from './setup.mjs'

// What makes the process smaller (docs/decisions/030): the room for young objects is 4 MB a thread instead of 16.
const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4']

/**
 * The same, unless whoever starts it says otherwise: Node keeps compiled code, and TypeScript without its types, in a directory
 * that belongs to the installation; and glibc keeps two pools of freed memory instead of eight a processor, and gives
 * back what is free at their ends, instead of keeping twice the largest that was ever freed.
 */
const environment = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)),
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  ...process.env,
}

const orphanCheckMs = 250

/**
 * npm passes a signal on to the shell between us, and the shell may die of it without telling anybody: then the parent of
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

/** Starts `script` (a path in the project) and ends this process as that one ends. */
export function runPinned(script, parameters) {
  const file = fileURLToPath(new URL(`../${script}`, import.meta.url))
  // The channel tells the child when this process is killed outright: a service must not live on without its parent.
  const child = spawn(pinnedNode, [...flags, file, ...parameters], {
    env: environment,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // A terminal sends Ctrl-C to both of us; a supervisor signals only this process. Either way the child decides.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  onOrphaned(() => child.kill('SIGTERM'))
  return new Promise((_resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
  })
}
