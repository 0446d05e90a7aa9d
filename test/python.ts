import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf } from './package/installation.ts'

const succeeds = (parameters: string[]) => spawnSync('python3', parameters, { stdio: 'ignore' }).status === 0

/** @returns why packages of Python cannot be built and installed here; null when they can. */
export function missingForPython(): string | null {
  if (!succeeds(['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'])) return 'there is no Python 3.11 or later'
  if (!succeeds(['-c', 'import ensurepip'])) return 'this Python makes no environments'
  const folder = mkdtempSync(join(tmpdir(), 'wishwell-python-'))
  try {
    const download = [...'-m pip download attrs --quiet --no-deps --no-cache-dir --retries 1 --dest'.split(' '), folder]
    return succeeds(download) ? null : 'PyPI cannot be reached'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Programs of Python in a folder of their own. */
export interface PythonEnvironment {
  folder: string
  /** Runs a program of it. @returns what it printed @throws with its output when it fails */
  run(program: string, parameters: string[], environment?: Record<string, string>): Promise<string>
  remove(): void
}

/** Makes an environment with these packages, from PyPI or from folders. @throws with what pip printed when they cannot be installed */
export async function createPythonEnvironment(packages: readonly string[]): Promise<PythonEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'wishwell-python-'))
  const start = async (command: string, parameters: string[], more: Record<string, string> = {}) => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...more }
    const { exitCode, stdout, stderr } = await outputOf(spawn(command, parameters, { cwd: folder, env }))
    if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}:\n${stdout}\n${stderr}`)
    return stdout
  }
  await start('python3', ['-m', 'venv', '.'])
  const run: PythonEnvironment['run'] = (program, ...rest) => start(join(folder, 'bin', program), ...rest)
  await run('pip', ['install', '--quiet', ...packages])
  return { folder, run, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
