import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Database } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import { invalidField } from '../http/validation.ts'
import { EventStream } from './event-stream.ts'
import { type FollowedJob, followedJob, parsePlace, placeBefore } from './job-events.ts'
import { ownsJob, readTasks } from './jobs.ts'
import type { TaskChanges } from './task-changes.ts'

/** Open streams, in this process. */
export const maxStreamsPerAccount = 20
const maxStreams = 1_000
/** How often every followed job is read again, for changes that nobody was told of. */
const pollMs = 5_000
const jobsPerQuery = 50

export type NoStream = 'not found' | 'ended' | 'too many'

export interface Followers {
  /**
   * Opens the stream of a job's events.
   * @param lastEventId where an earlier stream of it ended.
   * @returns why there is none: `not found` when the account has no such job, `ended` when the end was seen already, `too many`
   * when the account has its fill of open streams.
   * @throws ServiceError INVALID_REQUEST for an id that is not of this job; UNAVAILABLE at shutdown.
   */
  follow(accountId: string, jobId: string, lastEventId: string | null): Promise<Readable | NoStream>
  /** Ends every stream; their readers come again. */
  stop(): void
}

interface Follower {
  jobId: string
  accountId: string
  stream: EventStream
}

export interface FollowerDependencies {
  database: Database
  changes: TaskChanges
  log: Logger
}

/** The open event streams of this process. They share one listener and one query at a time, however many they are. */
export function createFollowers({ database, changes, log }: FollowerDependencies): Followers {
  const followers = new Set<Follower>()
  /** Streams that are open or being opened, by account. */
  const counts = new Map<string, number>()
  const changed = new Set<string>()
  let reading = false
  let stopped = false

  const deliver = (jobIds: readonly string[], jobs: ReadonlyMap<string, FollowedJob>) => {
    for (const { jobId, stream } of followers) {
      if (!jobIds.includes(jobId)) continue
      const job = jobs.get(jobId)
      // A job that is gone has no end to tell of.
      if (job) stream.update(job)
      else stream.finish()
    }
  }
  async function readChanged(): Promise<void> {
    if (reading) return
    reading = true
    try {
      while (changed.size > 0 && !stopped) {
        const jobIds = [...changed].slice(0, jobsPerQuery)
        for (const jobId of jobIds) changed.delete(jobId)
        deliver(jobIds, await readJobs(jobIds))
      }
    } catch (error) {
      log.warn({ err: error }, 'followed jobs could not be read, it is tried again')
    } finally {
      reading = false
    }
  }
  async function readJobs(jobIds: readonly string[]): Promise<Map<string, FollowedJob>> {
    const tasks = await readTasks(database, jobIds)
    return new Map([...tasks].flatMap(([jobId, rows]) => (rows[0] ? [[jobId, followedJob(jobId, rows[0], rows)]] : [])))
  }
  const readAll = () => {
    for (const { jobId } of followers) changed.add(jobId)
    void readChanged()
  }
  const unsubscribe = changes.subscribe((change) => {
    if (followers.size === 0) return
    if (change === null) return readAll()
    for (const { jobId } of followers) if (jobId === change.jobId) changed.add(jobId)
    if (changed.size > 0) void readChanged()
  })
  const poll = setInterval(readAll, pollMs).unref()

  /** Takes a place among the open streams. @returns the function that gives it back; null when the account has no more. */
  function enter(accountId: string): (() => void) | null {
    const count = counts.get(accountId) ?? 0
    if (count >= maxStreamsPerAccount) return null
    const total = [...counts.values()].reduce((sum, open) => sum + open, 0)
    if (stopped || total >= maxStreams) {
      throw new ServiceError(
        'UNAVAILABLE',
        'No event stream can be opened just now. Poll the job, or try again shortly.',
      )
    }
    counts.set(accountId, count + 1)
    return () => {
      const left = (counts.get(accountId) ?? 1) - 1
      if (left > 0) counts.set(accountId, left)
      else counts.delete(accountId)
    }
  }
  /** The stream, registered; it begins with the job as it is read after that, so that no change falls between. */
  async function open(accountId: string, jobId: string, lastEventId: string | null, leave: () => void) {
    const tasks = (await ownsJob(database, accountId, jobId)) ? await readJobs([jobId]) : null
    const job = tasks?.get(jobId)
    if (!job) return 'not found'
    const place = lastEventId === null ? placeBefore(job) : parsePlace(lastEventId, job)
    if (place === null) throw invalidField('last-event-id', 'is not an id of an event of this job')
    if (place.ended) return 'ended'
    const stream = new EventStream(place)
    const follower = { jobId, accountId, stream }
    followers.add(follower)
    stream.on('close', () => {
      followers.delete(follower)
      leave()
    })
    stream.update(job)
    changed.add(jobId)
    void readChanged()
    if (stopped) stream.finish()
    return stream
  }
  return {
    follow: async (accountId, jobId, lastEventId) => {
      const leave = enter(accountId)
      if (leave === null) return 'too many'
      let opened: Readable | NoStream = 'not found'
      try {
        opened = await open(accountId, jobId, lastEventId, leave)
        return opened
      } finally {
        if (typeof opened === 'string') leave()
      }
    },
    stop: () => {
      stopped = true
      clearInterval(poll)
      unsubscribe()
      for (const { stream } of followers) stream.finish()
    },
  }
}
