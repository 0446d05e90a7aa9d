import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Authentication } from '../accounts/authentication.ts'
import { readCreditUsage } from '../credits/usage.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { Database } from '../database/open.ts'
import type { CallPlan } from '../database/tables/scraping.ts'
import { ServiceError } from '../http/errors.ts'
import { createIdempotentLongCall, type LongAnswer } from '../idempotency/long-call.ts'
import { type ChosenPlatforms, choosePlatforms } from '../platforms/off-platforms.ts'
import { searchWords } from '../platforms/topic-words.ts'
import type { Clock } from '../runtime/clock.ts'
import type { TaskQueue } from '../scraping/queue.ts'
import type { TaskChanges } from '../scraping/task-changes.ts'
import { createLiveCallSlots } from './call-slots.ts'
import {
  type CallEffect,
  type LiveOperation,
  openCall,
  readPlan,
  recordPlan,
  settleCall,
  settleOwnCall,
} from './calls.ts'
import { startCollections } from './collections.ts'
import type { Gathered } from './gathered.ts'
import { type CollectionProgress, gather } from './gathering.ts'
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
  enabledPlatforms: readonly PlatformName[]
}

/** What a call has collected, to make its answer of. */
export interface Collected extends Gathered {
  topics: string[]
  startedAt: Date
}

/** What happens while a call waits. */
export interface LiveEvents {
  topics(topics: readonly string[]): void
  collection(progress: CollectionProgress): void
}

export interface LiveCall<Answer extends { meta: object }> {
  operation: LiveOperation
  /** Those that are off are only told of. */
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
   * any collection that the call waited for, begun by it or by another one, and given back when none was; an answer that
   * cannot be read afterwards changes nothing of that.
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

/** Each of the topics with each of the platforms. */
const pairsOf = (topics: readonly string[], platforms: readonly PlatformName[]) =>
  topics.flatMap((topic) => platforms.map((platform) => ({ topic, platform })))

/** Collects for callers who wait for it. */
export function createLive(dependencies: LiveDependencies): Live {
  const { database, clock, log, queue, authentication, settings, enabledPlatforms } = dependencies
  const enter = createLiveCallSlots()
  const watch = createTaskWatch(dependencies)
  const stopping = new AbortController()
  const { callerOf } = authentication
  const idempotentLongCall = createIdempotentLongCall({ database, clock, callerOf })

  /** Begins or joins the collections of a call, and writes down which they are: both or neither. */
  const start = (callId: string, topics: string[], { on: platforms, off }: ChosenPlatforms): Promise<CallPlan> => {
    const now = clock.now()
    const freshAfter = new Date(now.getTime() - settings.topicTtlMs)
    const expiresAt = new Date(now.getTime() + settings.jobTimeLimitMs)
    // Without a word the platforms would not be asked.
    const askable = topics.filter((topic) => searchWords(topic).length > 0)
    const plan = { topics: askable, platforms, now, freshAfter, expiresAt }
    return database.transaction().execute(async (transaction) => {
      const collections = platforms.length === 0 ? [] : await startCollections(transaction, queue, plan)
      const begun = { topics, collections, off: pairsOf(askable, off) }
      await recordPlan(transaction, callId, begun)
      return begun
    })
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
    const onProgress = (progress: CollectionProgress) => call.events?.collection(progress)
    const waitFor = ({ collections, off }: Pick<CallPlan, 'collections' | 'off'>) => {
      for (const pair of off) onProgress({ ...pair, state: 'skipped', newRequests: 0 })
      const signal = AbortSignal.any([time.timeUp, stopping.signal])
      return gather({ watch, collections, signal, deadline: time.deadline, onProgress })
    }

    const collect = async (): Promise<string> => {
      const thought = await call.topicsFor(AbortSignal.any([time.timeUp, gone]))
      // An answer without topics must not be kept under a key; the credit comes back and the key is free.
      if (stopping.signal.aborted)
        throw new ServiceError('UNAVAILABLE', 'The service is stopping. Try again in a moment.')
      // Nobody is there any more to collect for.
      const topics = gone.aborted ? [] : thought
      call.events?.topics(topics)
      const tellOf = await waitFor(await start(callId, topics, choosePlatforms(call.platforms, enabledPlatforms)))
      const { effect, tasks } = await settleOwnCall(database, callId, clock.now())
      for (const task of tasks) tellOf(task)
      return effect
    }
    /**
     * A call that failed ends like any other: what it asked for goes on without it, so it is waited for and paid all the same.
     * When even that fails, the call is left to the sweep.
     */
    const endBroken = async () => {
      const plan = await readPlan(database, callId)
      await waitFor(plan ?? { collections: [], off: [] })
      const settling = { callId, isBroken: true, now: clock.now() }
      await database.transaction().execute((transaction) => settleCall(transaction, settling))
    }

    return idempotentLongCall(request, reply, {
      begin: (transaction, keyId) => {
        leave = enter(accountId, reply)
        time = startTime()
        const expiresAt = new Date(time.deadline.getTime() + graceMs)
        const opened = { callId, accountId, operation: call.operation, keyId, now: time.startedAt, expiresAt }
        return openCall(transaction, opened)
      },
      run: () =>
        collect().catch(async (error: unknown) => {
          await endBroken().catch((cause) => log.error({ err: cause, callId }, 'a live call could not be ended'))
          throw error
        }),
      answer: async (noted) => {
        const { startedAt, endedAt, ...effect }: CallEffect = JSON.parse(noted)
        const body = await call.read({ ...effect, startedAt: new Date(startedAt) })
        const credits = await readCreditUsage(database, { accountId }, clock.now())
        const scrapingTimeMs = Date.parse(endedAt) - Date.parse(startedAt)
        return { ...body, meta: { ...body.meta, scrapingTimeMs }, usage: { credits } }
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
