import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { createAccountSlots } from '../../http/account-slots.ts'
import { ServiceError } from '../../http/errors.ts'
import { invalidField } from '../../http/validation.ts'
import { type FollowedJob, followedJob, nextEvent, type Position, parsePosition, positionBefore } from './job-events.ts'
import { ownsJob, readTasks } from './jobs.ts'
import { createChangeReader, type TaskChanges } from './task-changes.ts'

/** How long a disconnected reader waits before reconnecting. */
const reconnectMs = 2_000
const heartbeatMs = 15_000
/** Lifetime of a connection: reconnecting readers are authenticated again, and dead connections end. */
const maxAgeMs = 15 * 60_000
/** How long a reader may take to read the rest of an ended stream. */
const drainMs = 1_000

/** A job's events for one reader, made from the newest state once there is room: nothing accumulates. */
export class EventStream extends Readable {
  #position: Position
  #newest: FollowedJob | null = null
  #hasRoom = false
  #over = false
  readonly #heartbeat: NodeJS.Timeout
  #deadline: NodeJS.Timeout

  constructor(position: Position) {
    super({ highWaterMark: 4 * 1024 })
    this.#position = position
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref()
    this.#deadline = setTimeout(() => this.finish(), maxAgeMs).unref()
    this.push(`retry: ${reconnectMs}\n\n`)
  }

  /** Updates the stream; sending an ended job ends it. */
  update(job: FollowedJob): void {
    this.#newest = job
    if (this.#hasRoom) this.#write()
  }

  /** Ends the stream without a final event; the reader may reconnect. */
  finish(): void {
    if (this.#over) return
    this.#over = true
    this.push(null)
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.destroy(), drainMs).unref()
  }

  #beat(): void {
    if (this.#hasRoom && !this.#over) this.#hasRoom = this.push(':\n\n')
  }

  #write(): void {
    while (this.#hasRoom && !this.#over && this.#newest) {
      const next = nextEvent(this.#newest, this.#position)
      if (next === null) return
      this.#position = next.position
      this.#hasRoom = this.push(next.text)
      if (next.position.ended) this.finish()
    }
  }

  override _read(): void {
    this.#hasRoom = true
    this.#write()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#over = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#deadline)
    callback(error)
  }
}

export const maxStreamsPerAccount = 20
const maxStreams = 1_000
/** Interval for rereading followed jobs, in case a notification was lost. */
const pollMs = 5_000
const jobsPerQuery = 50

export type NoStream = 'not found' | 'ended' | 'too many'

export interface Followers {
  /**
   * @param lastEventId of an earlier stream; null to start over
   * @returns the stream, or why not: `not found`, `ended` (after the final event), `too many`
   * @throws ServiceError INVALID_REQUEST for another job's event; UNAVAILABLE at shutdown
   */
  follow(accountId: string, jobId: string, lastEventId: string | null): Promise<Readable | NoStream>
  /** Ends all streams; readers may reconnect. */
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

/** The open event streams of this process, sharing one listener and one query at a time. */
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
    // Reread, because a change before the registration was not delivered.
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

/** Updates the streams of changed jobs. */
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

/** The job's current state, and the position where its stream starts. */
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
