import type { PlatformErrorCode, PlatformName, TaskState } from '../database/column-types.ts'
import { describeJob, type Job, type JobTerms } from './jobs.ts'
import { isFinalState } from './task-changes.ts'
import type { TaskRow } from './task-row.ts'

/** How far a platform is, as its events tell it. */
export interface PlatformProgress {
  platform: PlatformName
  state: TaskState
  pages: number
  requestsFound: number
  requestsCreated: number
  /** While it waits for its platform. */
  waitingUntil: string | null
  /** Why it ended, or why it waits or tries again. */
  error: { code: PlatformErrorCode; message: string } | null
}

/** A job as it was at one moment. */
export interface FollowedJob {
  job: Job
  tasks: readonly TaskRow[]
}

export const followedJob = (jobId: string, terms: JobTerms, tasks: readonly TaskRow[]): FollowedJob => ({
  job: describeJob(jobId, terms, tasks),
  tasks,
})

/**
 * What a reader has seen of a job: the revision of each platform, in their order, null for one that it has not seen yet; and
 * whether it has seen the end. It is the id of every event, so that any process can go on after it.
 */
export interface Position {
  seen: readonly (number | null)[]
  ended: boolean
}

const positionPattern = /^(?:-|\d{1,9})(?:\.(?:-|\d{1,9})){0,99}(?:\.end)?$/

export const positionBefore = (job: FollowedJob): Position => ({ seen: job.tasks.map(() => null), ended: false })

const formatPosition = ({ seen, ended }: Position) =>
  [...seen.map((revision) => revision ?? '-'), ...(ended ? ['end'] : [])].join('.')

/** Reads what a `Last-Event-ID` says; null when it cannot be of this job. */
export function parsePosition(text: string, job: FollowedJob): Position | null {
  if (!positionPattern.test(text)) return null
  const ended = text.endsWith('.end')
  const seen = (ended ? text.slice(0, -'.end'.length) : text)
    .split('.')
    .map((part) => (part === '-' ? null : Number(part)))
  return seen.length === job.tasks.length ? { seen, ended } : null
}

const formatEvent = (position: Position, event: string, data: unknown) =>
  `id: ${formatPosition(position)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const progressOf = (task: TaskRow): PlatformProgress => ({
  platform: task.platform,
  state: task.state,
  pages: task.pages,
  requestsFound: task.requests_found,
  requestsCreated: task.requests_created,
  waitingUntil: task.waiting_until?.toISOString() ?? null,
  error: task.error_code === null ? null : { code: task.error_code, message: task.error_message ?? '' },
})

/** What every task is at revision 1, unless it ended before it was begun. */
const begun = (task: TaskRow): PlatformProgress => ({
  ...{ platform: task.platform, state: 'running', pages: 0, requestsFound: 0, requestsCreated: 0 },
  ...{ waitingUntil: null, error: null },
})

/**
 * The next event for a reader, from nothing but its position and the job as it is now: a slow reader gets the newest figures and
 * nothing is kept for it. Figures may be skipped, a change of state never is: who saw a platform pending and finds it ended is
 * told first that it ran.
 * @returns null when there is nothing to tell just now.
 */
export function nextEvent(followed: FollowedJob, position: Position): { text: string; position: Position } | null {
  const { job, tasks } = followed
  const index = tasks.findIndex((task, order) => task.revision !== position.seen[order])
  const task = tasks[index]
  if (task) {
    const missedBegin = position.seen[index] === 0 && isFinalState(task.state) && task.started_at !== null
    const next = { ended: false, seen: position.seen.with(index, missedBegin ? 1 : task.revision) }
    return { text: formatEvent(next, 'platform', missedBegin ? begun(task) : progressOf(task)), position: next }
  }
  if (position.ended || job.completedAt === null) return null
  const end = { ...position, ended: true }
  return { text: formatEvent(end, 'end', job), position: end }
}
