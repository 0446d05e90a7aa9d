import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { readCreditUsage } from '../credits/usage.ts'
import type { Database } from '../database/open.ts'
import type { Authentication } from '../http/authentication.ts'
import { ServiceError } from '../http/errors.ts'
import { createIdempotentLongCall, type LongAnswer } from '../idempotency/long-call.ts'
import type { PlatformName } from '../platforms/platform.ts'
import { searchWords } from '../platforms/topic.ts'
import type { TaskQueue } from '../scraping/queue.ts'
import type { TaskChanges } from '../scraping/task-changes.ts'
import { closeCall, type LiveOperation, openCall } from './calls.ts'
import { type Collection, startCollections } from './collections.ts'
import { type CollectionProgress, type Gathered, gather } from './gathering.ts'
import { createLivePlaces } from './places.ts'
import { createTaskWatch } from './task-watch.ts'

export interface LiveSettings {
  /** How long a topic is fresh on a platform. */
  topicTtlMs: number
  /** From call to answer. */
  deadlineMs: number
  /** How long what a call began may go on in the background. */
  jobTimeLimitMs: number
}

export interface LiveDependencies {
  database: Database
  clock: Clock
  log: Logger
  queue: TaskQueue
  changes: TaskChanges
  authentication: Authentication
  settings: LiveSettings
}

/** What a call has collected, to make its answer of. */
export interface Collected extends Gathered {
  topics: readonly string[]
  startedAt: Date
}

/** What happens while a call waits. */
export interface LiveEvents {
  topics(topics: readonly string[]): void
  collection(progress: CollectionProgress): void
}

export interface LiveCall<Answer extends { meta: object }> {
  operation: LiveOperation
  platforms: readonly PlatformName[]
  /** What to collect; it has until the signal is aborted. */
  topicsFor(signal: AbortSignal): Promise<string[]>
  events?: LiveEvents
  /** Reads the answer, after the collection. */
  read(collected: Collected): Promise<Answer>
}

export interface Live {
  /**
   * Reserves one credit, collects what of the topics is not fresh, and answers. The credit is settled when a page was stored for
   * any collection that the call waited for, begun by it or by another one, and given back when none was.
   * @throws ServiceError RATE_LIMITED when the credit cannot be paid or the account has its fill of live calls, UNAVAILABLE when the
   * process has; CONFLICT and IDEMPOTENCY_MISMATCH with an `Idempotency-Key`.
   */
  answer<Answer extends { meta: object }>(
    request: FastifyRequest,
    reply: FastifyReply,
    call: LiveCall<Answer>,
  ): Promise<LongAnswer>
  /** Lets every call answer at once with what is there, and waits until all have, also those whose callers hung up. */
  stop(): Promise<void>
}

/** How much longer than its deadline a call may be at work before it counts as dead. */
const graceMs = 60_000

/** Aborted when the caller has hung up. */
function hangUpSignal(reply: FastifyReply): AbortSignal {
  const abort = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) abort.abort()
  })
  return abort.signal
}

/** Collects for callers who wait for it. */
export function createLive(dependencies: LiveDependencies): Live {
  const { database, clock, queue, authentication, settings } = dependencies
  const enter = createLivePlaces()
  const watch = createTaskWatch(dependencies)
  const stopping = new AbortController()
  const { callerOf } = authentication
  const idempotentLongCall = createIdempotentLongCall({ database, clock, callerOf })

  const start = (topics: readonly string[], platforms: readonly PlatformName[]): Promise<Collection[]> => {
    const now = clock.now()
    const freshAfter = new Date(now.getTime() - settings.topicTtlMs)
    const expiresAt = new Date(now.getTime() + settings.jobTimeLimitMs)
    if (topics.length === 0) return Promise.resolve([])
    return database
      .transaction()
      .execute((transaction) => startCollections(transaction, queue, { topics, platforms, now, freshAfter, expiresAt }))
  }

  /** The time of a call, from now on. */
  const startTime = () => {
    const startedAt = clock.now()
    const deadline = new Date(startedAt.getTime() + settings.deadlineMs)
    return { startedAt, deadline, timeUp: AbortSignal.timeout(settings.deadlineMs) }
  }

  const run: Live['answer'] = (request, reply, call) => {
    const { accountId } = authentication.accountOf(request)
    const callId = randomUUID()
    // Anew when it begins: who repeats a call may have waited for the first one until then.
    let time = startTime()
    // What was begun for a caller is his, also when he hangs up: else hanging up would be a way to collect for nothing. Who
    // calls with a key may come again for the answer, so his collection begins all the same.
    const hungUp = request.headers['idempotency-key'] === undefined ? [hangUpSignal(reply)] : []
    const gone = AbortSignal.any([stopping.signal, ...hungUp])
    let leave = () => {}
    let body: { meta: object } | null = null
    let delivered = false

    const collect = async (): Promise<Collected> => {
      const { startedAt, deadline, timeUp } = time
      const thought = await call.topicsFor(AbortSignal.any([timeUp, gone]))
      // An answer without topics must not be kept under a key; the credit comes back and the key is free.
      if (stopping.signal.aborted)
        throw new ServiceError('UNAVAILABLE', 'The service is stopping. Try again in a moment.')
      // Nobody is there any more to collect for.
      const topics = gone.aborted ? [] : thought
      call.events?.topics(topics)
      // Without a word the platforms would not be asked; with nothing wanted there is nothing to lock.
      const askable = topics.filter((topic) => searchWords(topic).length > 0)
      const collections = await start(askable, call.platforms)
      const onProgress = (progress: CollectionProgress) => call.events?.collection(progress)
      const signal = AbortSignal.any([timeUp, stopping.signal])
      const gathered = await gather({ watch, collections, signal, deadline, onProgress })
      return { ...gathered, topics, startedAt }
    }
    const close = (transaction: Parameters<typeof closeCall>[0]) =>
      closeCall(transaction, { callId, delivered, now: clock.now() })

    return idempotentLongCall(request, reply, {
      begin: (transaction, keyId) => {
        leave = enter(accountId, reply)
        time = startTime()
        const expiresAt = new Date(time.deadline.getTime() + graceMs)
        const opened = { callId, accountId, operation: call.operation, keyId, now: time.startedAt, expiresAt }
        return openCall(transaction, opened)
      },
      run: async () => {
        const collected = await collect()
        body = await call.read(collected)
        delivered = collected.delivered
      },
      end: async (transaction) => {
        const isOurs = await close(transaction)
        const credits = await readCreditUsage(transaction, { accountId }, clock.now())
        const scrapingTimeMs = clock.now().getTime() - time.startedAt.getTime()
        return { answer: { ...body, meta: { ...body?.meta, scrapingTimeMs }, usage: { credits } }, isOurs }
      },
      undo: (transaction) => {
        delivered = false
        return close(transaction)
      },
    }).finally(() => leave())
  }
  const running = new Set<Promise<unknown>>()
  return {
    answer: async (request, reply, call) => {
      const answering = run(request, reply, call)
      running.add(answering)
      return answering.finally(() => running.delete(answering))
    },
    stop: async () => {
      stopping.abort()
      while (running.size > 0) await Promise.allSettled(running)
      watch.stop()
    },
  }
}
