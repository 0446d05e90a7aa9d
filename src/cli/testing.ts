import { spawn, spawnSync } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { childEnvironment } from '../../test/child-environment.ts'
import type { RequestRecord } from '../requests/record.ts'
import type { Job } from '../scraping/jobs.ts'
import { shellWord } from './text.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

export const testKey = `ww_live_${'k3y0'.repeat(8)}`

/** What a fake service answers: a status and a body, a string being no JSON; or it hangs up, or never answers. */
export type FakeAnswer = { status?: number; headers?: Record<string, string>; body: unknown } | 'hang up' | 'never'

export interface Received {
  /** `POST /api/v1/scrape`, with the query string. */
  call: string
  authorization: string | undefined
  idempotencyKey?: string | undefined
  body: string
}

export interface FakeService {
  url: string
  received: Received[]
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return body
}

/** A server that answers as the test says; it ends with the test. */
export async function startFakeService(answer: (received: Received) => FakeAnswer): Promise<FakeService> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const idempotencyKey = headers['idempotency-key'] as string | undefined
    const entry = {
      ...{ call: `${method} ${url}`, authorization: headers.authorization, idempotencyKey },
      body: await readBody(request),
    }
    received.push(entry)
    const given = answer(entry)
    if (given === 'never') return
    if (given === 'hang up') return request.socket.destroy()
    const isText = typeof given.body === 'string'
    const type = isText ? 'text/html' : 'application/json; charset=utf-8'
    response.writeHead(given.status ?? 200, { 'content-type': type, ...given.headers })
    response.end(isText ? given.body : JSON.stringify(given.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

export const usage = { credits: { used: 9, limit: 15_000, remaining: 14_991 } }

export const failure = (status: number, code: string, message: string, extras = {}): FakeAnswer => ({
  status,
  body: { error: { code, message, ...extras } },
})

/** A job of github and hackernews that has ended well. */
export const endedJob = (fields: Partial<Job> = {}): Job => ({
  jobId: 'job-1',
  status: 'completed',
  error: null,
  topic: 'dark mode',
  platforms: ['github', 'hackernews'],
  depth: 1,
  progress: { github: 'done', hackernews: 'done' },
  requestsCreated: 42,
  startedAt: '2026-01-01T00:00:00.000Z',
  completedAt: '2026-01-01T00:00:04.200Z',
  ...fields,
})

/** A service with one job: each poll gives the next of `polls`, the last one for ever. */
export function startJobService(polls: readonly (Job | FakeAnswer)[]): Promise<FakeService> {
  let next = 0
  return startFakeService(({ call, body }) => {
    if (call === 'POST /api/v1/scrape') {
      const { topic, platforms = ['github', 'hackernews'], depth = 1 } = JSON.parse(body)
      return { body: { data: { jobId: 'job-1', status: 'pending', topic, platforms, depth }, usage } }
    }
    if (call === 'GET /api/v1/usage') return { body: { data: usage } }
    // As a service answers that is older than the events.
    if (call.endsWith('/events')) return failure(404, 'NOT_FOUND', 'There is no such path.')
    const poll = polls[Math.min(next++, polls.length - 1)]!
    return typeof poll === 'object' && 'jobId' in poll ? { body: { data: poll } } : poll
  })
}

/** A request as the service gives it. */
export const requestRecord = (fields: Partial<RequestRecord> = {}): RequestRecord => ({
  _id: 'request-1',
  title: 'Dark mode',
  description: 'Please.\nIt hurts my eyes.',
  descriptionTruncated: false,
  votes: 12,
  tags: [],
  commentCount: 3,
  sourcePlatform: 'github',
  sourceUrl: 'https://github.com/acme/app/issues/1',
  topic: 'dark mode',
  topics: ['dark mode'],
  authorName: null,
  authorHandle: 'ada',
  authorProfileUrl: null,
  license: null,
  originalCreatedAt: '2026-01-01T00:00:00.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...fields,
})

export interface Finished {
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface Running {
  finished: Promise<Finished>
  kill(signal: NodeJS.Signals): void
  /** Closes the pipe that it writes to, as `| head` does. */
  stopReading(stream: 'stdout' | 'stderr'): void
  /** Resolves once stderr holds the text. */
  seen(text: string): Promise<void>
}

/** Runs `wishwell` as a process of its own, with no more in its environment than what is given and what every child has. */
export function startCommand(parameters: string[], environment: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...parameters], {
    env: { ...childEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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
export function runCommand(parameters: string[], service: { url: string; apiKey?: string }): Promise<Finished> {
  const environment = { WISHWELL_URL: service.url, WISHWELL_API_KEY: service.apiKey ?? testKey }
  return startCommand(parameters, environment).finished
}

/** Why there is no pseudo-terminal to test with; null where there is one: `script` of util-linux makes it. */
export const noTerminal: string | null = (() => {
  const { error, stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' })
  return error || !stdout.includes('util-linux')
    ? 'there is no `script` of util-linux, which makes pseudo-terminals'
    : null
})()

export interface OnTerminal {
  exitCode: number | null
  /** What the terminal was sent, stdout and stderr together, without its carriage returns. */
  output: string
}

interface Terminal {
  columns: number
  environment: Record<string, string | undefined>
}

export interface RunningOnTerminal {
  finished: Promise<OnTerminal>
  /** What the person before it types; `\x03` is Ctrl-C. */
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
    for (const look of waiting) look()
  })
  const finished = new Promise<OnTerminal>((resolve, reject) => {
    child.on('error', reject).on('close', (exitCode) => resolve({ exitCode, output: text() }))
  })
  const shown = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text())
        if (match) resolve(match)
      }
      waiting.add(look)
      look()
      finished.then((ended) => reject(new Error(`it ended before it showed ${pattern}:\n${ended.output}`)), reject)
    })
  return { finished, type: (typed) => void child.stdin.write(typed), shown }
}

/** Runs `wishwell` on a real pseudo-terminal of that width, to its end. */
export const runOnTerminal = (parameters: string[], terminal: Terminal): Promise<OnTerminal> =>
  startOnTerminal(parameters, terminal).finished
