import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { generateApiKey } from '../src/accounts/keys.ts'
import { createDemoCorpus, sections } from '../test/platform-simulator/demo-corpus/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../test/platform-simulator/simulator.ts'

// `npm run demo`: the whole of Wishwell against simulated platforms, without accounts, credentials or the internet.
// Everything that it makes is in one temporary directory and is gone when it ends. `--exit` ends it after the search.

const { values: flags } = parseArgs({ options: { exit: { type: 'boolean', default: false } } })
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** A service that does not end by itself is killed: longer than its own shutdown may take. */
const stopTimeoutMs = 35_000

const interruption = new AbortController()

/** A page of each place of a platform: the simulated ones have three at most. */
const pagesOfTopic = 3
/** Enough to look around in, few enough to be there when somebody does. */
const moreTopics = sections.slice(1, 12).map(({ topic }) => topic)

interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
}

/** The processes of ours that have not ended. */
const running = new Map<ChildProcess, Promise<Outcome>>()

function run(parameters: string[], options: SpawnOptions): { child: ChildProcess; ended: Promise<Outcome> } {
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

interface DemoService {
  url: string
  apiKey: string
  adminKey: string
  ended: Promise<Outcome>
}

/** Starts the real service on a fresh database. Its environment is only this, so that no real credentials reach it. */
async function startDemoService(directory: string, simulator: PlatformSimulator): Promise<DemoService> {
  const apiKey = generateApiKey()
  const logFile = join(directory, 'service.log')
  const log = openSync(logFile, 'w')
  const adminKey = randomBytes(24).toString('base64url')
  const environment = {
    ...{ PORT: '0', DATA_DIR: join(directory, 'data'), BOOTSTRAP_API_KEY: apiKey, ADMIN_API_KEY: adminKey },
    // Any credentials are good for the simulated platforms, and they allow more with some.
    ...{ GITHUB_TOKEN: 'demo', GITLAB_TOKEN: 'demo', STACKEXCHANGE_API_KEY: 'demo' },
  }
  const { child, ended } = run(['serve'], {
    env: { ...simulator.environment, ...environment },
    // The channel lets the service see that we were killed, and end.
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

/** Shows a command of ours and runs it, on this terminal. */
async function show(service: DemoService, ...parameters: string[]): Promise<number> {
  console.log(`\n$ wishwell ${parameters.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`)
  const { ended } = run(parameters, {
    env: { ...process.env, WISHWELL_URL: service.url, WISHWELL_API_KEY: service.apiKey },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const { code, signal } = await ended
  if (interruption.signal.aborted) throw interruption.signal.reason
  if (code !== 0) console.log(`(it ended with ${signal ?? `exit code ${code}`})`)
  return code ?? 1
}

/** A link that signs in to the page of the service, once. */
async function makeSignInLink({ url, adminKey }: DemoService): Promise<string> {
  const call = async (path: string, method = 'GET') => {
    const answer = await fetch(`${url}/api/admin/accounts${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}` },
    })
    if (!answer.ok) throw new Error(`the service answered ${answer.status} to ${method} ${path}`)
    return ((await answer.json()) as { data: { accounts: { accountId: string }[]; url: string } }).data
  }
  const { accounts } = await call('')
  return (await call(`/${accounts[0]?.accountId}/links`, 'POST')).url
}

/** Starts the other topics; they are collected while somebody looks at the first. */
async function collectMore({ url, apiKey }: DemoService): Promise<void> {
  for (const topic of moreTopics) {
    const answer = await fetch(`${url}/api/v1/scrape`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ topic, depth: pagesOfTopic }),
    })
    if (!answer.ok) throw new Error(`the service answered ${answer.status} to a collection of "${topic}"`)
  }
}

const goOn = ({ url, apiKey, adminKey }: DemoService, signInUrl: string) => `
The service goes on at ${url} (max plan, simulated platforms) until you press Ctrl-C.

  Its page (the link works once):
    ${signInUrl}

  The operator's page: sign in with this admin key, in another browser or a private window
    ${url}/sign-in
    ${adminKey}

  Topics that the simulated platforms know:
    ${sections
      .map(({ topic }) => topic)
      .join(', ')
      .replace(/(.{1,72})(?:, |$)/g, '$1,\n    ')
      .trimEnd()
      .replace(/,$/, '')}

In another terminal:

  export WISHWELL_URL=${url} WISHWELL_API_KEY=${apiKey}
  export ADMIN_API_KEY=${adminKey}

  curl -H "Authorization: Bearer $WISHWELL_API_KEY" -H 'Content-Type: application/json' \\
    -d '{"topic":"offline mode","platforms":["github","hackernews"],"depth":2}' $WISHWELL_URL/api/v1/scrape
  curl -H "Authorization: Bearer $WISHWELL_API_KEY" $WISHWELL_URL/api/v1/scrape/<jobId>
  curl -H "Authorization: Bearer $WISHWELL_API_KEY" -H 'Content-Type: application/json' \\
    -d '{"query":"dark mode","limit":3}' $WISHWELL_URL/api/v1/requests/search
  curl -H "Authorization: Bearer $WISHWELL_API_KEY" "$WISHWELL_URL/api/v1/requests?topic=dark+mode&sortBy=top&limit=3"

  npx wishwell scrape "bulk edit" --depth 3
  npx wishwell search offline mode
  npx wishwell topics --sort top
  npx wishwell account link`

/** @returns the exit code of the demo. */
async function demonstrate(directory: string, simulator: PlatformSimulator): Promise<number> {
  console.log(
    'Starting the service on a fresh database, with simulated platforms (their real limits, ten times faster) …',
  )
  const service = await startDemoService(directory, simulator)
  console.log(`It runs at ${service.url}.`)
  const scraped = await show(service, 'scrape', sections[0]!.topic, '--depth', String(pagesOfTopic))
  if (!flags.exit) await collectMore(service)
  const searched = await show(service, 'search', 'dark', 'mode', '--limit', '5')
  console.log(
    `\nThe platforms answered ${simulator.requests.length} requests; ${simulator.breaches} broke a limit of theirs.`,
  )
  if (flags.exit) return scraped || searched
  console.log(`Being collected now: ${moreTopics.join(', ')}.`)
  console.log(goOn(service, await makeSignInLink(service)))
  const { code, signal } = await service.ended
  throw new Error(`the service ended by itself (${signal ?? code})`)
}

async function endChildren(): Promise<void> {
  const kill = (signal: NodeJS.Signals) => {
    for (const child of running.keys()) child.kill(signal)
  }
  kill('SIGTERM')
  const timer = setTimeout(kill, stopTimeoutMs, 'SIGKILL')
  await Promise.allSettled(running.values())
  clearTimeout(timer)
}

for (const [signal, exitCode] of [
  ['SIGINT', 0],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  // Not `once`: Ctrl-C reaches us twice, from the terminal and from the launcher.
  process.on(signal, () => interruption.abort(exitCode))
}
// The launcher was killed outright and could pass nothing on.
process.on('disconnect', () => interruption.abort(1))

const interrupted = new Promise<number>((resolve) => {
  interruption.signal.addEventListener('abort', () => resolve(interruption.signal.reason as number))
})
const directory = mkdtempSync(join(tmpdir(), 'wishwell-demo-'))
let simulator: PlatformSimulator | null = null
let exitCode = 1
try {
  simulator = await startPlatformSimulator({ corpus: createDemoCorpus(new Date()), latencyMs: 120, timeScale: 10 })
  exitCode = await Promise.race([interrupted, demonstrate(directory, simulator)])
} catch (error) {
  console.error(`demo: ${error instanceof Error ? error.message : error}`)
} finally {
  if (interruption.signal.aborted) console.log('\nStopping …')
  await endChildren()
  await simulator?.stop()
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  console.log('The demo is over; everything that it made is removed.')
}
// Whoever listens for the launcher's end would otherwise live for ever.
process.exit(exitCode)
