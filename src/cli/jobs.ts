import { Command, Option } from 'commander'
import type { ListedJob } from '../scraping/job-list.ts'
import type { JobStatus } from '../scraping/jobs.ts'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { formatRows, type Row } from './rows.ts'
import { formatOutcome } from './summary.ts'
import { count, printable } from './text.ts'

const help = `${environmentHelp}

Exit codes: 0 done, whatever the state of the job; 1 the service refused, or has no such job; 2 the command line or the
environment is wrong; 3 the service cannot be reached; 5 too many requests.`

// Not imported from scraping/jobs.ts: clients must start without loading the service.
const statuses: JobStatus[] = ['pending', 'running', 'completed', 'failed']

const subcommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError(`(wishwell jobs ${name} --help shows every option)`)

/** `wishwell jobs`: the account's scrape jobs. */
export function jobsCommand(): Command {
  return new Command('jobs')
    .description("list, show and cancel the account's scrape jobs (free)")
    .showHelpAfterError('(wishwell jobs --help shows every command)')
    .addCommand(
      subcommand('list', 'list jobs, newest first')
        .addOption(new Option('--status <status>', 'only jobs with this status').choices(statuses))
        .option('--limit <jobs>', 'maximum of jobs to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
        .option('--cursor <cursor>', 'continue where an earlier list ended')
        .action(list),
    )
    .addCommand(
      subcommand('show', 'show the present state of a job').argument('<jobId>', 'as "jobs list" shows it').action(show),
    )
    .addCommand(
      subcommand('cancel', 'cancel a job at once; delivered pages stay, all others cost nothing')
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
  exitWhenOutputCloses()
  const answer = await createApi(readClientConfig()).listJobs(query)
  if (json) return printJson(answer)
  const { jobs, cursor } = answer.data
  const status = query.status === undefined ? '' : ` --status ${query.status}`
  const more = cursor === null ? [] : [`More: wishwell jobs list${status} --cursor ${printable(cursor)}`]
  printLines([...(jobs.length === 0 ? ['No such jobs.'] : formatRows(jobs.map(rowOf))), ...more])
}

/** What a job costs, and by whom; older services do not say it. */
function costOf(credits?: ListedJob['credits'], startedBy?: ListedJob['startedBy']): string {
  if (credits === undefined) return ''
  const name = startedBy?.watchName ?? startedBy?.keyName ?? null
  return `${count(credits.held + credits.settled, 'credit')}${name === null ? '' : ` by ${name}`}`
}

const rowOf = (job: ListedJob): Row => {
  const { jobId, status, topic, platforms, depth, requestsCreated, createdAt, credits, startedBy } = job
  const size = `${count(platforms.length, 'platform')}, ${count(depth, 'page')} each`
  const began = `${createdAt.slice(0, 16).replace('T', ' ')} UTC`
  const facts = [status, began, size, `${requestsCreated.toLocaleString('en-US')} new`, costOf(credits, startedBy)]
  return { title: topic, facts, id: jobId }
}

async function show(jobId: string, { json }: { json: boolean }): Promise<void> {
  exitWhenOutputCloses()
  const job = await createApi(readClientConfig()).readJob(jobId)
  if (json) printJson({ data: job })
  else {
    const cost = costOf(job.credits, job.startedBy)
    printLines([...formatOutcome(job), ...(cost === '' ? [] : [cost])])
  }
}

async function cancel(jobId: string, { json }: { json: boolean }): Promise<void> {
  exitWhenOutputCloses()
  const answer = await createApi(readClientConfig()).cancelJob(jobId)
  if (json) return printJson(answer)
  const wasCancelled = answer.data.errors?.some(({ code }) => code === 'cancelled') ?? false
  printLines([wasCancelled ? 'The job is cancelled.' : 'The job had ended already.', ...formatOutcome(answer.data)])
}
