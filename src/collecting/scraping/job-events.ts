import type { PlatformErrorCode, TaskState } from '../../database/column-types.ts'
import { describeJob, type Job, type JobTerms } from './jobs.ts'
import { isFinalState } from './task-changes.ts'
import { resultOf, type TaskResult, type TaskRow } from './task-row.ts'

export interface PlatformProgress extends TaskResult {
  state: TaskState
  waitingUntil: string | null
  error: { code: PlatformErrorCode; message: string } | null
}

export interface FollowedJob {
  job: Job
  tasks: readonly TaskRow[]
}

export const followedJob = (jobId: string, terms: JobTerms, tasks: readonly TaskRow[]): FollowedJob => ({
  job: describeJob(jobId, terms, tasks),
  tasks,
})

/** Each platform's sent revision, in order (null: unsent), and whether the end was. The id of every event. */
export interface Position {
  seen: readonly (number | null)[]
  ended: boolean
}

const positionPattern = /^(?:-|\d{1,9})(?:\.(?:-|\d{1,9})){0,99}(?:\.end)?$/

export const positionBefore = (job: FollowedJob): Position => ({ seen: job.tasks.map(() => null), ended: false })

const formatPosition = ({ seen, ended }: Position) =>
  [...seen.map((revision) => revision ?? '-'), ...(ended ? ['end'] : [])].join('.')

/** Parses a `Last-Event-ID`; null if it cannot be this job's. */
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

function progressOf(task: TaskRow): PlatformProgress {
  const { platform, ...figures } = resultOf(task)
  return {
    platform,
    state: task.state,
    ...figures,
    waitingUntil: task.waiting_until?.toISOString() ?? null,
    error: task.error_code === null ? null : { code: task.error_code, message: task.error_message ?? '' },
  }
}

/** Any task at revision 1, unless it ended before it started. */
const begun = (task: TaskRow): PlatformProgress => ({
  platform: task.platform,
  state: 'running',
  pages: 0,
  requestsFound: 0,
  requestsCreated: 0,
  maybeCreated: 0,
  discarded: {},
  waitingUntil: null,
  error: null,
})

/** May skip figures, but no state: ended platforms are first reported as running. @returns null if up to date */
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
