import type { Data } from '../../client/types.ts'
import { count } from '../runtime/count.ts'
import { type Answer, resultOf } from './answer.ts'
import { clip } from './tokens.ts'
import { nameOf } from './tools/requests.ts'

export type Job = Data<'readScrapeJob'>

const hasEnded = ({ status }: Pick<Job, 'status'>) => status === 'completed' || status === 'failed'

/** A job's outcome. Platforms' messages are foreign text. */
export function answerOfJob(job: Job): Answer {
  const { jobId, status, requestsCreated, maybeCreated, credits, progress, completedAt } = job
  const errors = (job.errors ?? []).map(({ platform, code }) => ({ platform, code }))
  const waiting = (job.waiting ?? []).map(({ platform, code, until }) => ({ platform, code, until }))
  const leftOut = Object.fromEntries(
    job.tasks.map(({ platform, discarded, undated }) => [platform, { ...discarded, undated }]),
  )
  const said = [...(job.errors ?? []), ...(job.waiting ?? [])]
  const settled = count(credits.settled, 'credit')
  const spent = hasEnded(job) ? settled : `${settled}, ${credits.held} held`
  const next = hasEnded(job) ? 'search finds what it stored.' : `Call collect with this jobId again in some seconds.`
  return {
    summary: `Job ${jobId} is ${status}: ${count(requestsCreated, 'new request')}, ${count(maybeCreated, 'text')} that may be one, ${spent}. ${next}`,
    facts: { jobId, status, requestsCreated, maybeCreated, credits, progress, completedAt, errors, waiting, leftOut },
    foreign: {
      topic: nameOf(job.topic),
      messages: said.map(({ message }) => clip(message, maxMessages / said.length)),
    },
  }
}

/** Tokens for all platforms' messages: one may name ten failed sources. */
const maxMessages = 1_500

const pollIntervalMs = 2_000

/** A job as a task. Jobs are kept. */
const taskFields = (jobId: string, createdAt: string | null, updatedAt: string | null = null) => ({
  taskId: jobId,
  createdAt: createdAt ?? new Date().toISOString(),
  lastUpdatedAt: updatedAt ?? new Date().toISOString(),
  ttlMs: null,
  pollIntervalMs,
})
const fieldsOf = ({ jobId, startedAt, completedAt }: Job) => taskFields(jobId, startedAt, completedAt)

/** A job just started. */
export function answerOfStart({ jobId, status, topic, platforms }: Data<'startScrapeJob'>): Answer {
  return {
    summary: `Job ${jobId} is ${status}. Call collect with this jobId in some seconds.`,
    facts: { jobId, status, requestsCreated: 0, platforms },
    foreign: { topic: nameOf(topic) },
    task: { resultType: 'task', status: 'working', ...taskFields(jobId, null) },
  }
}

const wasCancelled = ({ errors }: Job) => errors?.some(({ code }) => code === 'cancelled') ?? false

/** A job as the answer to `tasks/get`. */
export function taskOf(job: Job) {
  const answer = answerOfJob(job)
  if (!hasEnded(job)) return { ...fieldsOf(job), status: 'working', statusMessage: answer.summary }
  if (job.status === 'failed' && wasCancelled(job)) return { ...fieldsOf(job), status: 'cancelled' }
  const result = { ...resultOf(answer), isError: job.status === 'failed' }
  return { ...fieldsOf(job), status: 'completed', result }
}
