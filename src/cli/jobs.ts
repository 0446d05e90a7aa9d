import { type Command, Option } from 'commander'
import type { Data, Job, Query } from './api-types.ts'
import { commandGroup, type Json, moreOf, printAnswer, subcommandsOf } from './client-command.ts'
import { wholeNumber } from './options.ts'
import { formatRows, type Row } from './output.ts'
import { formatOutcome } from './summary.ts'
import { count, printable } from './text.ts'

const subcommand = subcommandsOf('jobs', {
  ok: 'done, whatever the state of the job',
  failed: 'the service refused, or has no such job',
})

const statuses: Job['status'][] = ['pending', 'running', 'completed', 'failed']

/** `wishwell jobs`: the account's scrape jobs. */
export const jobsCommand = (): Command =>
  commandGroup('jobs', "list, show and cancel the account's scrape jobs (free)", [
    subcommand('list', 'list jobs, newest first')
      .addOption(new Option('--status <status>', 'only jobs with this status').choices(statuses))
      .option('--limit <jobs>', 'maximum of jobs to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(list),
    subcommand('show', 'show the present state of a job').argument('<jobId>', 'as "jobs list" shows it').action(show),
    subcommand('cancel', 'cancel a job at once; delivered pages stay, all others cost nothing')
      .argument('<jobId>', 'as "jobs list" shows it')
      .action(cancel),
  ])

const list = ({ json, ...query }: Query<'listScrapeJobs'> & Json) =>
  printAnswer(
    { json },
    (api) => api.GET('/api/v1/scrape', { params: { query } }),
    ({ data: { jobs, cursor } }) => [
      ...(jobs.length === 0 ? ['No such jobs.'] : formatRows(jobs.map(rowOf))),
      ...moreOf('jobs list', query, cursor),
    ],
  )

/** What a job costs, and by whom; older services do not say it. */
function costOf({ credits, startedBy }: Job): string {
  if (credits === undefined) return ''
  const name = startedBy?.watchName ?? startedBy?.keyName ?? null
  return `${count(credits.held + credits.settled, 'credit')}${name === null ? '' : ` by ${printable(name)}`}`
}

const rowOf = (job: Data<'listScrapeJobs'>['jobs'][number]): Row => {
  const { jobId, status, topic, platforms, depth, requestsCreated, createdAt } = job
  const size = `${count(platforms.length, 'platform')}, ${count(depth, 'page')} each`
  const began = `${createdAt.slice(0, 16).replace('T', ' ')} UTC`
  const facts = [status, began, size, `${requestsCreated.toLocaleString('en-US')} new`, costOf(job)]
  return { title: topic, facts, id: jobId }
}

const show = (jobId: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.GET('/api/v1/scrape/{jobId}', { params: { path: { jobId } } }),
    ({ data }) => [...formatOutcome(data), costOf(data)].filter((line) => line !== ''),
  )

const cancel = (jobId: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.DELETE('/api/v1/scrape/{jobId}', { params: { path: { jobId } } }),
    ({ data }) => {
      const wasCancelled = data.errors?.some(({ code }) => code === 'cancelled') ?? false
      return [wasCancelled ? 'The job is cancelled.' : 'The job had ended already.', ...formatOutcome(data)]
    },
  )
