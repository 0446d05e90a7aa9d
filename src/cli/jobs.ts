import { type Command, Option } from 'commander'
import type { Answer, Data, Job } from './api-types.ts'
import { commandGroup, subcommandsOf } from './client-command.ts'
import { exitCodes } from './exit-codes.ts'
import { wholeNumber } from './options.ts'
import type { Row } from './output.ts'
import { plain } from './plain-actions.ts'
import { count, countColumns, formatDuration, formatMoment, lastArgument, printable, shellWord } from './text.ts'

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
      .action(plain.page('/api/v1/scrape', rowOf, 'No such jobs.', 'jobs list')),
    subcommand('show', 'show the present state of a job')
      .argument('<jobId>', 'as "jobs list" shows it')
      .action(plain.call('get', '/api/v1/scrape/{jobId}', formatJob)),
    subcommand('cancel', 'cancel a job at once; delivered pages stay, all others cost nothing')
      .argument('<jobId>', 'as "jobs list" shows it')
      .action(plain.call('delete', '/api/v1/scrape/{jobId}', formatCancelled)),
  ])

/** A job's cost and starter; empty from older services. */
function costOf({ credits, startedBy }: Job): string {
  if (credits === undefined) return ''
  const name = startedBy?.watchName ?? startedBy?.personName ?? startedBy?.keyName ?? null
  return `${count(credits.held + credits.settled, 'credit')}${name === null ? '' : ` by ${printable(name)}`}`
}

const rowOf = (job: Data<'listScrapeJobs'>['results'][number]): Row => {
  const { jobId, status, topic, platforms, depth, requestsCreated, createdAt } = job
  const size = `${count(platforms.length, 'platform')}, ${count(depth, 'page')} each`
  const facts = [status, formatMoment(createdAt), size, `${requestsCreated.toLocaleString('en-US')} new`, costOf(job)]
  return { title: topic, facts, id: jobId }
}

const formatJob = (job: Job) => [...formatOutcome(job), costOf(job)].filter((line) => line !== '')

const formatCancelled = (job: Job) => [
  isCancelled(job) ? 'The job is cancelled.' : 'The job had ended already.',
  ...formatOutcome(job),
]

/** The command that shows a job. */
export const pollCommand = (jobId: string): string => `wishwell jobs show ${shellWord(printable(jobId))}`

type Started = Answer<'startScrapeJob'>

/** The lines about a started job. */
export function formatStarted({ data: { jobId, topic, platforms, depth, sources } }: Started): string[] {
  const cost = count(depth * platforms.length, 'credit')
  const named = Object.entries(sources ?? {}).flatMap(([platform, ofPlatform]) =>
    ofPlatform.map((source) => `  ${printable(platform)}:${printable(source)}`),
  )
  return [
    `Collecting "${printable(topic)}" from ${platforms.map(printable).join(', ')}, up to ${count(depth, 'page')} each (at most ${cost}).`,
    ...(named.length > 0 ? ['Sources:', ...named] : []),
    `Job ${printable(jobId)}`,
  ]
}

const allDone = (job: Job) => Object.values(job.progress).every((state) => state === 'done')

/** The exit code for an ended job. */
export function exitCodeOf(job: Job): number {
  if (job.status === 'failed') return exitCodes.failed
  return allDone(job) ? exitCodes.ok : exitCodes.partial
}

const isCancelled = (job: Job) => job.errors?.some(({ code }) => code === 'cancelled') ?? false

function formatHeadline(job: Job): string {
  const { status, startedAt, completedAt, requestsCreated } = job
  const took = startedAt && completedAt ? formatDuration(Date.parse(completedAt) - Date.parse(startedAt)) : null
  const maybe = job.maybeCreated > 0 ? `, and ${job.maybeCreated.toLocaleString('en-US')} that may be requests` : ''
  const created = `${count(requestsCreated, 'new request')} in the cache${maybe}.`
  if (status === 'pending' || status === 'running') return `The job is ${status}: ${created}`
  if (isCancelled(job)) return `Cancelled${took ? ` after ${took}` : ''}: ${created}`
  if (status === 'failed') return `The job failed${took ? ` after ${took}` : ''}: ${created}`
  return `Completed${took ? ` in ${took}` : ''}${allDone(job) ? '' : ', but not on every platform'}: ${created}`
}

type Discarded = Job['tasks'][number]['discarded']
type DiscardReason = keyof Discarded

const discardTexts: Record<DiscardReason, string> = {
  offTopic: 'not about the topic',
  noText: 'without text',
  reply: 'replies',
  notPublic: 'not public',
  removed: 'removed',
  beyondLimit: 'beyond what is read at once',
}

/** How many items were left out and why: `12 left out: 9 not about the topic, 3 without text`; else empty. */
function formatDiscarded(discarded: Discarded = {}): string {
  const counts = Object.entries(discardTexts).flatMap(([reason, text]) => {
    const left = discarded[reason as DiscardReason] ?? 0
    return left > 0 ? [{ left, text }] : []
  })
  if (counts.length === 0) return ''
  const all = counts.reduce((sum, { left }) => sum + left, 0)
  const reasons = counts.map(({ left, text }) => `${left.toLocaleString('en-US')} ${text}`)
  return `${all.toLocaleString('en-US')} left out: ${reasons.join(', ')}`
}

/** A job's state or outcome: its requests, and per platform the error, or why and until when it waits. */
export function formatOutcome(job: Job): string[] {
  const outcomes = Object.entries(job.progress).map(([platform, state]) => {
    const wait = job.waiting?.find((entry) => entry.platform === platform)
    const error = wait ?? job.errors?.find((entry) => entry.platform === platform)
    const until = wait?.until ? `waits until ${formatMoment(wait.until)}, ` : ''
    const reason = error ? `${until}${printable(error.code)}: ${printable(error.message)}` : ''
    // Older services send no tasks.
    const { discarded, undated = 0 } = job.tasks?.find((task) => task.platform === platform) ?? {}
    const withoutDate = undated > 0 ? `${undated.toLocaleString('en-US')} without a date` : ''
    const all = (texts: string[], separator: string) => texts.filter((text) => text !== '').join(separator)
    const details = all([reason, all([formatDiscarded(discarded), withoutDate], '; ')], ' ')
    return { name: printable(platform), state: printable(state), details }
  })
  const nameColumns = Math.max(0, ...outcomes.map(({ name }) => countColumns(name)))
  const unreached = Object.entries(job.sourcesNotReached ?? {}).map(
    ([platform, sources]) => `Not reached on ${printable(platform)}: ${sources.map(printable).join(', ')}.`,
  )
  const advice = unreached.length > 0 && !isCancelled(job) ? ['A greater depth reaches more sources.'] : []
  // The headline already says that it was cancelled.
  const failure = job.error && !isCancelled(job) ? [printable(job.error)] : []
  return [
    formatHeadline(job),
    ...failure,
    ...outcomes.map(({ name, state, details }) =>
      `  ${name.padEnd(nameColumns)}  ${state.padEnd(7)}  ${details}`.trimEnd(),
    ),
    ...unreached,
    ...advice,
  ]
}

/** A job's outcome, the credits, and the next step. */
export function formatSummary(job: Job, { credits: { used, limit, remaining } }: Started['usage']): string[] {
  return [
    ...formatOutcome(job),
    `Credits: ${used.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} used this month, ${remaining.toLocaleString('en-US')} remaining.`,
    ...(job.status === 'failed' ? [] : [`Search it with: wishwell search ${lastArgument(printable(job.topic))}`]),
  ]
}
