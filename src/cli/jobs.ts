import { Command, Option } from 'commander'
import type { ListedJob } from '../scraping/job-list.ts'
import type { JobStatus } from '../scraping/jobs.ts'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp, wholeNumber } from './options.ts'
import { endWhenNobodyReads, printJson, printLines } from './output.ts'
import { formatOutcome } from './summary.ts'
import { count, printable } from './text.ts'

const help = `${environmentHelp}

Exit codes: 0 done, whatever became of the job; 1 the service refused, or has no such job; 2 the command line or the
environment is wrong; 3 the service cannot be reached; 5 too many requests.`

// Not from scraping/jobs.ts: the clients start without the service.
const statuses: JobStatus[] = ['pending', 'running', 'completed', 'failed']

const subcommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', help)
    .showHelpAfterError(`(wishwell jobs ${name} --help shows every option)`)

/** `wishwell jobs`: the account's scrape jobs. */
export function jobsCommand(): Command {
  return new Command('jobs')
    .description("list, show and cancel the account's scrape jobs (free)")
    .showHelpAfterError('(wishwell jobs --help shows every command)')
    .addCommand(
      subcommand('list', 'list jobs, the last started first')
        .addOption(new Option('--status <status>', 'only jobs that have it now').choices(statuses))
        .option('--limit <jobs>', 'most jobs to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
        .option('--cursor <cursor>', 'go on where an earlier list ended')
        .action(list),
    )
    .addCommand(
      subcommand('show', 'show a job as it is now').argument('<jobId>', 'as "jobs list" shows it').action(show),
    )
    .addCommand(
      subcommand('cancel', 'cancel a job at once; what was delivered stays, what was not costs nothing')
        .argument('<jobId>', 'as "jobs list" shows it')
        .action(cancel),
    )
}

interface ListOptions {
  status?: JobStatus
  limit?: number
  cursor?: string
  json: boolean
}

async function list({ json, ...query }: ListOptions): Promise<void> {
  endWhenNobodyReads()
  const answer = await createApi(readClientConfig()).listJobs(query)
  if (json) return printJson(answer)
  const { jobs, cursor } = answer.data
  const status = query.status === undefined ? '' : ` --status ${query.status}`
  const more = cursor === null ? [] : [`More: wishwell jobs list${status} --cursor ${printable(cursor)}`]
  printLines([...(jobs.length === 0 ? ['No such jobs here.'] : jobs.map(formatListed)), ...more])
}

function formatListed({ jobId, status, topic, platforms, depth, requestsCreated, createdAt }: ListedJob): string {
  const started = `${printable(createdAt).slice(0, 16).replace('T', ' ')} UTC`
  const size = `${count(platforms.length, 'platform')}, ${count(depth, 'page')} each, ${requestsCreated} new`
  return `${printable(jobId)}  ${printable(status).padEnd(9)}  ${started}  "${printable(topic)}" (${size})`
}

async function show(jobId: string, { json }: { json: boolean }): Promise<void> {
  endWhenNobodyReads()
  const job = await createApi(readClientConfig()).readJob(jobId)
  if (json) printJson({ data: job })
  else printLines(formatOutcome(job))
}

async function cancel(jobId: string, { json }: { json: boolean }): Promise<void> {
  endWhenNobodyReads()
  const answer = await createApi(readClientConfig()).cancelJob(jobId)
  if (json) return printJson(answer)
  const wasCancelled = answer.data.errors?.some(({ code }) => code === 'cancelled') ?? false
  printLines([wasCancelled ? 'The job is cancelled.' : 'The job had ended already.', ...formatOutcome(answer.data)])
}
