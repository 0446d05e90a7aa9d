import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { childEnvironment } from './child-environment.ts'

const serve = [fileURLToPath(new URL('../src/main.ts', import.meta.url)), 'serve']

export interface ChildService {
  url: string
  process: ChildProcess
  /** Everything that it printed on stdout so far. */
  stdout(): string
  stderr(): string
  /** Ends it with a signal and waits for that. @returns its exit code, or null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Has a process that a test starts ended with it, also when the test fails; one that a hook starts is ended by its file. */
function endWithTest(end: () => Promise<unknown>): void {
  try {
    onTestFinished(async () => void (await end()))
  } catch {
    // There is no test: it is a hook.
  }
}

/**
 * Starts the service as a process of its own, to be killed; what is left of it is killed when its test ends.
 * @param program a module and its parameters that start the service in another way, and print what `serve` prints
 * @param outlivesTest whether it goes on after the test that starts it: then its caller ends it
 * @throws with what it printed, when it ends before it runs.
 */
export async function startChildService(
  environment: Record<string, string | undefined>,
  program: readonly string[] = serve,
  { outlivesTest = false } = {},
): Promise<ChildService> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...program], {
    env: { ...childEnvironment, PORT: '0', LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  if (!outlivesTest) endWithTest(() => end('SIGKILL'))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      const started = /^Wishwell is running(?: at (\S+))?.*\n/m.exec(stdout)
      if (started) resolve(started[1] ?? '')
    })
    exited.then((code) => reject(new Error(`the service ended with ${code}: ${stdout}${stderr}`)))
  })
  return {
    url,
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    end,
  }
}
