import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDemoCorpus, type DemoCorpus, sections } from '../../../simulator/demo-corpus/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../../../simulator/simulator.ts'
import { settingsIn } from '../../app/config.ts'
import type { Service } from '../../app/service.ts'
import { CommandError } from '../exit-codes.ts'
import { choosePort, type DemoSettings, demoSettings } from './environment.ts'
import { type Mailbox, startMailbox } from './mailbox.ts'
import { callerOf, liveThePast, pastMs, waitForNews } from './past.ts'
import { type DemoService, endChildren, run, startDemoService } from './processes.ts'

/** Enough for each of a simulated platform's three sources, at most. */
const pagesOfTopic = 3
/** Enough topics to explore, few enough to collect quickly. */
const topics = sections.slice(0, 12).map(({ topic }) => topic)
const shown = 'dark mode'
const watched = 'calendar sync'
const others = topics.filter((topic) => topic !== shown && topic !== watched)
const pastTopics = 6

interface DemoOptions {
  /** Whether to end after the search. */
  exit: boolean
}

/** Everything to be ended, in starting order. */
interface Parts {
  directory: string
  mailbox: Mailbox
  interruption: AbortSignal
  simulator: PlatformSimulator | null
  /** The service of a week ago, once it starts. */
  past: Promise<Service> | null
}

interface Demo extends DemoSettings {
  service: DemoService
  interruption: AbortSignal
}

async function show({ service, apiKey, interruption }: Demo, ...parameters: string[]): Promise<number> {
  console.log(`\n$ wishwell ${parameters.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`)
  const { ended } = run(parameters, {
    env: { ...process.env, WISHWELL_URL: service.url, WISHWELL_API_KEY: apiKey },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const { code, signal } = await ended
  if (interruption.aborted) throw interruption.reason
  if (code !== 0) console.log(`(it ended with ${signal ?? `exit code ${code}`})`)
  return code ?? 1
}

async function makeSignInLink(url: string, adminKey: string): Promise<string> {
  const call = callerOf(url, adminKey)
  const accounts = (await call('GET', '/api/admin/accounts')).results as unknown as { accountId: string }[]
  return (await call('POST', `/api/admin/accounts/${accounts[0]?.accountId}/links`, {})).url!
}

/** Starts the simulated platforms: without limits for the past week, then with them, at the same addresses. */
const startPlatforms = (corpus: DemoCorpus, port: number, isPast: boolean) =>
  startPlatformSimulator({
    corpus,
    port,
    hasNames: true,
    ...(isPast ? { limits: 'none' } : { latencyMs: 120, timeScale: 10 }),
  })

/** @returns the exit code of the demo. */
async function demonstrate(parts: Parts, { exit }: DemoOptions): Promise<number> {
  const { directory, mailbox, interruption } = parts
  console.log('Starting the service on a fresh database, with simulated platforms, as it was eight days ago …')
  const now = new Date()
  const corpus = createDemoCorpus(now)
  corpus.comeTo(new Date(now.getTime() - pastMs))
  const { PORT, METRICS_PORT } = settingsIn(process.env)
  const port = await choosePort(4_681, [PORT, METRICS_PORT])
  parts.simulator = await startPlatforms(corpus, port, true)
  const platforms = parts.simulator.environment
  const smtpUrl = mailbox.smtpUrl
  const settings = await demoSettings(process.env, { directory: join(directory, 'data'), platforms, smtpUrl })
  const { environment, notUsed, apiKey, adminKey } = settings
  if (notUsed.length > 0) console.log(`Not used, because the demo has its own: ${notUsed.join(', ')}.`)
  const hasMailbox = environment.SMTP_URL === smtpUrl
  const onStart = (starting: Promise<Service>) => {
    parts.past = starting
  }
  const story = {
    onStart,
    environment,
    apiKey,
    topics: others.slice(0, pastTopics),
    watched,
    mailbox: hasMailbox ? mailbox : null,
  }
  const watchId = await liveThePast(story)
  await parts.simulator.stop()
  corpus.comeTo(now)
  parts.simulator = await startPlatforms(corpus, port, false)
  console.log('Now it is today, and the platforms have their real limits, ten times faster.')
  const service = await startDemoService(directory, environment)
  const demo: Demo = { ...settings, service, interruption }
  console.log(`It runs at ${service.url}.`)
  const scraped = await show(demo, 'scrape', shown, '--depth', String(pagesOfTopic))
  const searched = await show(demo, 'search', 'dark', 'mode', '--limit', '5')
  const { requests, breaches } = parts.simulator
  console.log(`\nThe platforms answered ${requests.length} requests; ${breaches} broke a limit of theirs.`)
  if (exit) return scraped || searched
  const call = callerOf(service.url, apiKey)
  await waitForNews(call, watchId, watched)
  await show(demo, 'watches', 'news')
  for (const topic of others) await call('POST', '/api/v1/scrape', { topic, depth: pagesOfTopic })
  console.log(`\nBeing collected now: ${others.join(', ')}.`)
  const signInUrl = await makeSignInLink(service.url, adminKey)
  const mailboxUrl = hasMailbox ? mailbox.url : null
  console.log(instructions({ url: service.url, apiKey, adminKey, signInUrl, mailboxUrl }))
  const { code, signal } = await service.ended
  throw new CommandError(`the service ended by itself (${signal ?? code})`)
}

/** A signal aborted with the exit code of the interruption. */
function watchInterruptions(): AbortSignal {
  const interruption = new AbortController()
  for (const [signal, exitCode] of [
    ['SIGINT', 0],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    // Not `once`: Ctrl-C arrives twice, from terminal and launcher.
    process.on(signal, () => interruption.abort(exitCode))
  }
  // The launcher was killed and could not forward a signal.
  process.on('disconnect', () => interruption.abort(1))
  return interruption.signal
}

/**
 * `wishwell demo`: all of Wishwell against simulated platforms, without accounts, credentials or internet. Uses a
 * temporary directory unless DATA_DIR or DATABASE_URL is set. Ends the process, or throws the cause.
 */
export async function runDemo(options: DemoOptions): Promise<never> {
  const interruption = watchInterruptions()
  const interrupted = new Promise<number>((resolve) => {
    interruption.addEventListener('abort', () => resolve(interruption.reason as number))
  })
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-demo-'))
  const parts: Parts = { directory, mailbox: await startMailbox(), interruption, simulator: null, past: null }
  let exitCode = 1
  try {
    exitCode = await Promise.race([interrupted, demonstrate(parts, options)])
  } finally {
    if (interruption.aborted) console.log('\nStopping …')
    await parts.past?.then((service) => service.stop()).catch(() => {})
    await endChildren()
    await parts.simulator?.stop()
    await parts.mailbox.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
    console.log('The demo is over; everything that it made in its own directory is removed.')
  }
  // Else the open channel to the launcher would keep this process running.
  process.exit(exitCode)
}

interface DemoAddresses {
  url: string
  apiKey: string
  adminKey: string
  signInUrl: string
  mailboxUrl: string | null
}

const mailboxLines = (url: string | null) =>
  url === null
    ? ''
    : `
  Every mail that it sends, also those of the watch:
    ${url}
`

const instructions = ({ url, apiKey, adminKey, signInUrl, mailboxUrl }: DemoAddresses) => `
The service goes on at ${url} (max plan, simulated platforms) until you press Ctrl-C.

  Its page (the link works once):
    ${signInUrl}
${mailboxLines(mailboxUrl)}
  The operator's page: sign in with this admin key, in another browser or a private window
    ${url}/sign-in
    ${adminKey}

  Topics of the simulated platforms:
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
  npx wishwell admin accounts link`
