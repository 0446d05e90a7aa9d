import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { createAccountSlots } from '../../http/account-slots.ts'
import { ServiceError } from '../../http/errors.ts'
import { invalidField } from '../../http/validation.ts'
import { createChangeReader } from './change-reader.ts'
import { EventStream } from './event-stream.ts'
import { type FollowedJob, followedJob, parsePosition, positionBefore } from './job-events.ts'
import { ownsJob, readTasks } from './jobs.ts'
import type { TaskChanges } from './task-changes.ts'

/** Open streams, in this process. */
export const maxStreamsPerAccount = 20
const maxStreams = 1_000
/** How often every followed job is read again, for changes whose notification was lost. */
const pollMs = 5_000
const jobsPerQuery = 50

export type NoStream = 'not found' | 'ended' | 'too many'

export interface Followers {
  /**
   * Opens the stream of a job's events.
   * @param lastEventId the last event of an earlier stream; null to begin at the first.
   * @returns why there is no stream: `not found` when the account has no such job, `ended` when the final event was sent before,
   * `too many` when the account has all of its streams open.
   * @throws ServiceError INVALID_REQUEST for an id that is not of this job; UNAVAILABLE at shutdown.
   */
  follow(accountId: string, jobId: string, lastEventId: string | null): Promise<Readable | NoStream>
  /** Ends every stream; their readers may reconnect. */
  stop(): void
}

interface Follower {
  jobId: string
  stream: EventStream
}

interface FollowInput {
  accountId: string
  jobId: string
  lastEventId: string | null
}

export interface FollowerDependencies {
  database: Database
  changes: TaskChanges
  log: Logger
}

/** The open event streams of this process. They share one listener and one query at a time, however many they are. */
export function createFollowers(dependencies: FollowerDependencies): Followers {
  const { database } = dependencies
  const followers = new Set<Follower>()
  const slots = createAccountSlots({ perAccount: maxStreamsPerAccount, total: maxStreams })
  const reader = createFollowerReader(dependencies, followers)
  let stopped = false

  async function open(input: FollowInput, leave: () => void): Promise<Readable | NoStream> {
    const { jobId } = input
    const start = await findStart(database, input)
    if (typeof start === 'string') return start
    const stream = new EventStream(start.position)
    const follower = { jobId, stream }
    followers.add(follower)
    stream.on('close', () => {
      followers.delete(follower)
      leave()
    })
    stream.update(start.job)
    // Read once more: a change before the registration was not delivered.
    reader.read([jobId])
    if (stopped) stream.finish()
    return stream
  }
  return {
    follow: async (accountId, jobId, lastEventId) => {
      const leave = slots.enter(accountId)
      if (leave === 'account is full') return 'too many'
      if (leave === 'process is full' || stopped) throw unavailable()
      let opened: Readable | NoStream = 'not found'
      try {
        opened = await open({ accountId, jobId, lastEventId }, leave)
        return opened
      } finally {
        if (typeof opened === 'string') leave()
      }
    },
    stop: () => {
      stopped = true
      reader.stop()
      for (const { stream } of followers) stream.finish()
    },
  }
}

/** Updates the streams of the jobs that changed. */
function createFollowerReader({ database, changes, log }: FollowerDependencies, followers: ReadonlySet<Follower>) {
  return createChangeReader({
    changes,
    log,
    followed: () => [...followers].map(({ jobId }) => jobId),
    idOf: ({ jobId }) => jobId,
    deliver: async (jobIds) => {
      const jobs = await readJobs(database, jobIds)
      for (const { jobId, stream } of followers) {
        if (!jobIds.includes(jobId)) continue
        const job = jobs.get(jobId)
        // A deleted job has no final event.
        if (job) stream.update(job)
        else stream.finish()
      }
    },
    pollMs,
    idsPerQuery: jobsPerQuery,
  })
}

async function readJobs(database: Database, jobIds: readonly string[]): Promise<Map<string, FollowedJob>> {
  const tasks = await readTasks(database, jobIds)
  return new Map([...tasks].flatMap(([jobId, rows]) => (rows[0] ? [[jobId, followedJob(jobId, rows[0], rows)]] : [])))
}

/** The job as it is now, and the position after which its stream begins. */
async function findStart(database: Database, { accountId, jobId, lastEventId }: FollowInput) {
  const jobs = (await ownsJob(database, accountId, jobId)) ? await readJobs(database, [jobId]) : null
  const job = jobs?.get(jobId)
  if (!job) return 'not found'
  const position = lastEventId === null ? positionBefore(job) : parsePosition(lastEventId, job)
  if (position === null) throw invalidField('last-event-id', 'is not an id of an event of this job')
  return position.ended ? 'ended' : { job, position }
}

const unavailable = () =>
  new ServiceError('UNAVAILABLE', 'No event stream can be opened just now. Poll the job, or try again shortly.')
