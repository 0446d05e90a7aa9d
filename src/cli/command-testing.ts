import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { childEnvironment } from '../../test/child-environment.ts'
import { testKey } from './fake-service-testing.ts'
import { shellWord } from './text.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface Finished {
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface Running {
  finished: Promise<Finished>
  kill(signal: NodeJS.Signals): void
  /** Closes the pipe of that stream, as `| head` does. */
  stopReading(stream: 'stdout' | 'stderr'): void
  /** Resolves once stderr holds the text. */
  seen(text: string): Promise<void>
}

/** Starts `wishwell` as a process of its own; its environment holds the given variables, and those of every child. @param input on its stdin */
export function startCommand(parameters: string[], environment: Record<string, string> = {}, input?: string): Running {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...parameters], {
    env: { ...childEnvironment, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A command that reads nothing may end before.
  child.stdin.on('error', () => {}).end(input)
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  const waiting = new Map<string, () => void>()
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
    for (const [text, resolve] of waiting) if (stderr.includes(text)) resolve()
  })
  return {
    finished: new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
    }),
    kill: (signal) => void child.kill(signal),
    stopReading: (stream) => void child[stream].destroy(),
    seen: (text) => new Promise((resolve) => (stderr.includes(text) ? resolve() : void waiting.set(text, resolve))),
  }
}

/** Runs `wishwell` against a service, to its end. */
export function runCommand(
  parameters: string[],
  service: { url: string; apiKey?: string },
  input?: string,
): Promise<Finished> {
  const environment = { WISHWELL_URL: service.url, WISHWELL_API_KEY: service.apiKey ?? testKey }
  return startCommand(parameters, environment, input).finished
}

/** Why there is no pseudo-terminal to test with; null where `script` of util-linux can make one. */
export const noTerminal: string | null = (() => {
  const { error, stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' })
  return error || !stdout.includes('util-linux')
    ? 'there is no `script` of util-linux, which makes pseudo-terminals'
    : null
})()

export interface OnTerminal {
  exitCode: number | null
  /** What was written to the terminal, stdout and stderr together, without carriage returns. */
  output: string
}

interface Terminal {
  columns: number
  environment: Record<string, string | undefined>
}

export interface RunningOnTerminal {
  finished: Promise<OnTerminal>
  /** Types at the terminal; `\x03` is Ctrl-C. */
  type(text: string): void
  /** Resolves with the match once the terminal shows it. */
  shown(pattern: RegExp): Promise<RegExpExecArray>
}

/** Starts `wishwell` on a real pseudo-terminal of that width. */
export function startOnTerminal(parameters: string[], { columns, environment }: Terminal): RunningOnTerminal {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', main, ...parameters].map(shellWord)
  const child = spawn('script', ['-qfec', `stty cols ${columns} rows 24; exec ${command.join(' ')}`, '/dev/null'], {
    env: { ...childEnvironment, TERM: 'xterm-256color', SHELL: '/bin/sh', ...environment },
    // Without an end of its input, `script` goes on for as long as the command does.
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const text = () => output.replaceAll('\r\n', '\n')
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    for (const check of waiting) check()
  })
  const finished = new Promise<OnTerminal>((resolve, reject) => {
    child.on('error', reject).on('close', (exitCode) => resolve({ exitCode, output: text() }))
  })
  const shown = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(text())
        if (match) resolve(match)
      }
      waiting.add(check)
      check()
      finished.then((ended) => reject(new Error(`it ended before it showed ${pattern}:\n${ended.output}`)), reject)
    })
  return { finished, type: (typed) => void child.stdin.write(typed), shown }
}

/** Runs `wishwell` on a real pseudo-terminal of that width, to its end. */
export const runOnTerminal = (parameters: string[], terminal: Terminal): Promise<OnTerminal> =>
  startOnTerminal(parameters, terminal).finished
