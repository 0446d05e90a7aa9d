import { type Answer, resultOf } from './answer.ts'
import type { Data } from './tool.ts'
import { nameOf } from './tools/requests.ts'

export type Job = Data<'readScrapeJob'>

const hasEnded = ({ status }: Pick<Job, 'status'>) => status === 'completed' || status === 'failed'

/** What became of a job. What a platform said is its own text. */
export function answerOfJob(job: Job): Answer {
  const { jobId, status, requestsCreated, maybeCreated, credits, progress, completedAt } = job
  const errors = (job.errors ?? []).map(({ platform, code }) => ({ platform, code }))
  const waiting = (job.waiting ?? []).map(({ platform, code, until }) => ({ platform, code, until }))
  const spent = hasEnded(job) ? `${credits.settled} credits` : `${credits.settled} credits, ${credits.held} held`
  const next = hasEnded(job) ? 'search finds what it stored.' : `Call collect with this jobId again in some seconds.`
  return {
    summary: `Job ${jobId} is ${status}: ${requestsCreated} new requests, ${maybeCreated} that may be one, ${spent}. ${next}`,
    facts: { jobId, status, requestsCreated, maybeCreated, credits, progress, completedAt, errors, waiting },
    foreign: {
      topic: nameOf(job.topic),
      messages: [...(job.errors ?? []), ...(job.waiting ?? [])].map(({ message }) => nameOf(message)),
    },
  }
}

const pollIntervalMs = 2_000

/** What a task says of a job. */
const fieldsOf = (job: Job) => ({
  taskId: job.jobId,
  createdAt: job.startedAt ?? new Date().toISOString(),
  lastUpdatedAt: job.completedAt ?? new Date().toISOString(),
  // Jobs are kept.
  ttlMs: null,
  pollIntervalMs,
})

/** A started job, as the answer of `tools/call`. */
export const createdTask = (job: Job) => ({ resultType: 'task', status: 'working', ...fieldsOf(job) })

const wasCancelled = ({ errors }: Job) => errors?.some(({ code }) => code === 'cancelled') ?? false

/** A job, as the answer of `tasks/get`. */
export function taskOf(job: Job) {
  const answer = answerOfJob(job)
  if (!hasEnded(job)) return { ...fieldsOf(job), status: 'working', statusMessage: answer.summary }
  if (job.status === 'failed' && wasCancelled(job)) return { ...fieldsOf(job), status: 'cancelled' }
  const result = { ...resultOf(answer), isError: job.status === 'failed' }
  return { ...fieldsOf(job), status: 'completed', result }
}
