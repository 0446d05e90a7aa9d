import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { ApiError } from './answers.ts'
import { type Api, answerOf, createApi, once } from './api.ts'
import type { Answer, Body } from './api-types.ts'
import { type ClientConfig, readClientConfig } from './client-config.ts'
import { CommandError } from './exit-codes.ts'
import { followJob } from './follow-job.ts'
import { exitCodeOf, formatStarted, formatSummary, pollCommand } from './jobs.ts'
import { collectSource, commaList, defined, environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, noteLines, printJson, printLines } from './output.ts'
import { createProgress } from './progress.ts'
import { printable } from './text.ts'

const help = `
While it waits, it shows the state of each platform on stderr; the outcome is printed on stdout.
Ctrl-C ends only the waiting: the job continues in the service.
${environmentHelp}

Exit codes:
  0    every platform is done
  1    the job failed, or the service refused it
  2    the command line or the environment is wrong
  3    the service cannot be reached
  4    the job ended, but a platform failed or was skipped
  5    out of credits, or too many requests
  130  Ctrl-C

Examples:
  wishwell scrape "dark mode"
  wishwell scrape "dark mode" --platforms github,hackernews --depth 3
  wishwell scrape "dark mode" --source github:owner/repository --source discourse:https://forum.example/c/ideas/5 --depth 2
  wishwell scrape "dark mode" --json | jq .data.requestsCreated`

type Started = Answer<'startScrapeJob'>

interface ScrapeOptions {
  platforms?: Body<'startScrapeJob'>['platforms']
  source?: Record<string, string[]>
  depth?: number
  json: boolean
  wait: boolean
}

/** `wishwell scrape`: starts a job and follows it to its end. */
export function scrapeCommand(): Command {
  return new Command('scrape')
    .description('collect requests about a topic from the platforms, and show the progress (costs credits)')
    .argument('<topic>', 'the topic of the requests, 2 to 100 characters; quote it when it has spaces')
    .option('--platforms <names>', "comma list of platforms (default: the service's own list)", commaList)
    .option(
      '--source <platform:source>',
      'collect only from this public source of a platform, such as a repository or a forum category; may be repeated',
      collectSource,
    )
    .option('--depth <pages>', 'pages per platform, 1 to 40; each page costs 1 credit (default: 1)', wholeNumber(1, 40))
    .option('--json', 'print only the final job and the credits, as one JSON object', false)
    .option('--no-wait', 'start the job and do not wait for its end')
    .addHelpText('after', helpEnd(help))
    .action(scrape)
}

const exitCodeOfSignal = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** A signal aborted by SIGINT, SIGTERM and SIGHUP, with a CommandError that says how the job continues. */
function abortOnInterrupt(explain: () => string): AbortSignal {
  const interruption = new AbortController()
  for (const [signal, exitCode] of Object.entries(exitCodeOfSignal)) {
    // Not `once`: Ctrl-C arrives twice, from terminal and launcher.
    process.on(signal, () => interruption.abort(new CommandError(explain(), exitCode)))
  }
  return interruption.signal
}

async function scrape(topic: string, options: ScrapeOptions): Promise<void> {
  const { json, wait, platforms, source: sources, depth } = options
  exitWhenOutputCloses()
  const config = readClientConfig()
  const api = createApi(config)
  let started: Started | null = null
  const signal = abortOnInterrupt(() =>
    started === null
      ? 'Interrupted before the service answered; the job may have started.'
      : `Interrupted. The job continues in the service; poll it with:\n  ${pollCommand(started.data.jobId)}\nor cancel it with:\n  wishwell jobs cancel ${printable(started.data.jobId)}`,
  )
  started = await startJob(api, { topic, ...defined({ platforms, sources, depth }) }, signal)
  if (wait) return watch(started, { api, config, json, signal })
  if (json) printJson(started)
  else printLines([...formatStarted(started), 'Poll it with:', `  ${pollCommand(started.data.jobId)}`])
}

interface Watching {
  api: Api
  config: ClientConfig
  json: boolean
  signal: AbortSignal
}

async function watch(started: Started, { api, config, json, signal }: Watching): Promise<void> {
  const { jobId, platforms, depth } = started.data
  noteLines(formatStarted(started))
  const progress = createProgress(process.stderr, platforms, config.movesCursor)
  const watcher = {
    signal,
    depth,
    onProgress: progress.update,
    onTrouble: (message: string) => progress.note(`${message.split('\n')[0]} Trying again for a minute …`),
  }
  const job = await followJob(api, jobId, watcher)
    .catch((error: unknown) => {
      if (!(error instanceof ApiError && error.temporary)) throw error
      const later = `The job is stored in the service; when the service is back, poll it with:\n  ${pollCommand(jobId)}`
      throw new CommandError(`${error.message}\n${later}`, error.exitCode)
    })
    .finally(() => progress.stop())
  const usage = await readFinalUsage(api, started.usage, signal)
  if (json) printJson({ data: job, usage })
  else printLines(formatSummary(job, usage))
  process.exitCode = exitCodeOf(job)
}

/** The credits after the job, once undelivered pages were released; those at its start if unreadable. */
function readFinalUsage(api: Api, atStart: Started['usage'], signal: AbortSignal): Promise<Started['usage']> {
  return answerOf(api.GET('/api/v1/usage', { signal })).then(
    ({ data: { credits } }) => ({
      credits: { used: credits.used, limit: credits.limit, remaining: credits.remaining },
    }),
    () => atStart,
  )
}

/** Pauses between tries, of which there is one more. */
const pausesMs = [500, 1_500]

/** Starts a job, retrying lost answers with the same `Idempotency-Key`, so it starts once. @throws the last ApiError */
async function startJob(
  api: Api,
  body: Body<'startScrapeJob'>,
  signal: AbortSignal,
): Promise<Answer<'startScrapeJob'>> {
  const params = { header: once() }
  const start = () => answerOf(api.POST('/api/v1/scrape', { params, body, signal }))
  for (const pauseMs of pausesMs) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof ApiError && error.answerLost)) throw error
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
  return start()
}
