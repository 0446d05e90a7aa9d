import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDemoCorpus, sections } from '../../platform-simulator/demo-corpus/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../../platform-simulator/simulator.ts'
import { instructions } from './instructions.ts'
import { type DemoService, endChildren, run, startDemoService } from './processes.ts'

/** Enough for a page of every source of a simulated platform: it has three at most. */
const pagesOfTopic = 3
/** Enough topics to explore, few enough to be collected soon. */
const moreTopics = sections.slice(1, 12).map(({ topic }) => topic)

export interface DemoOptions {
  /** Ends it after the search. */
  exit: boolean
}

interface Demo {
  service: DemoService
  simulator: PlatformSimulator
  interruption: AbortSignal
}

/** Prints a command and runs it on this terminal. */
async function show({ service, interruption }: Demo, ...parameters: string[]): Promise<number> {
  console.log(`\n$ wishwell ${parameters.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`)
  const { ended } = run(parameters, {
    env: { ...process.env, WISHWELL_URL: service.url, WISHWELL_API_KEY: service.apiKey },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const { code, signal } = await ended
  if (interruption.aborted) throw interruption.reason
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

/** Starts the other topics; they are collected while the first can be searched. */
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

/** @returns the exit code of the demo. */
async function demonstrate(parts: Omit<Demo, 'service'> & DemoOptions & { directory: string }): Promise<number> {
  const { simulator, exit } = parts
  console.log(
    'Starting the service on a fresh database, with simulated platforms (their real limits, ten times faster) …',
  )
  const service = await startDemoService(parts.directory, simulator)
  const demo = { ...parts, service }
  console.log(`It runs at ${service.url}.`)
  const scraped = await show(demo, 'scrape', sections[0]!.topic, '--depth', String(pagesOfTopic))
  if (!exit) await collectMore(service)
  const searched = await show(demo, 'search', 'dark', 'mode', '--limit', '5')
  console.log(
    `\nThe platforms answered ${simulator.requests.length} requests; ${simulator.breaches} broke a limit of theirs.`,
  )
  if (exit) return scraped || searched
  console.log(`Being collected now: ${moreTopics.join(', ')}.`)
  console.log(instructions(service, await makeSignInLink(service)))
  const { code, signal } = await service.ended
  throw new Error(`the service ended by itself (${signal ?? code})`)
}

/** A signal that is aborted with the exit code of what interrupts the demo. */
function watchInterruptions(): AbortSignal {
  const interruption = new AbortController()
  for (const [signal, exitCode] of [
    ['SIGINT', 0],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    // Not `once`: Ctrl-C arrives twice, from the terminal and from the launcher.
    process.on(signal, () => interruption.abort(exitCode))
  }
  // The launcher was killed and could not forward a signal.
  process.on('disconnect', () => interruption.abort(1))
  return interruption.signal
}

/**
 * `wishwell demo`: the whole of Wishwell against simulated platforms, without accounts, credentials or the internet. All its files
 * are in one temporary directory, which is deleted at the end. Ends the process.
 */
export async function runDemo({ exit }: DemoOptions): Promise<never> {
  const interruption = watchInterruptions()
  const interrupted = new Promise<number>((resolve) => {
    interruption.addEventListener('abort', () => resolve(interruption.reason as number))
  })
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-demo-'))
  let simulator: PlatformSimulator | null = null
  let exitCode = 1
  try {
    simulator = await startPlatformSimulator({ corpus: createDemoCorpus(new Date()), latencyMs: 120, timeScale: 10 })
    exitCode = await Promise.race([interrupted, demonstrate({ exit, directory, simulator, interruption })])
  } catch (error) {
    console.error(`demo: ${error instanceof Error ? error.message : error}`)
  } finally {
    if (interruption.aborted) console.log('\nStopping …')
    await endChildren()
    await simulator?.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
    console.log('The demo is over; everything that it made is removed.')
  }
  // The open channel to the launcher would otherwise keep this process running.
  process.exit(exitCode)
}
