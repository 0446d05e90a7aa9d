import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Pricing } from '../../accounts/plans.ts'
import { readCreditUsage } from '../../credits/usage.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import type { CallPlan } from '../../database/tables/collecting.ts'
import { ServiceError } from '../../http/errors.ts'
import { choosePlatforms } from '../../platforms/off-platforms.ts'
import { searchWords } from '../../platforms/topic-words.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { TaskQueue } from '../scraping/queue.ts'
import {
  type CallEffect,
  type Gathered,
  type LiveOperation,
  openCall,
  readPlan,
  recordPlan,
  settleCall,
  settleOwnCall,
} from './calls.ts'
import { startCollections } from './collections.ts'
import { type CollectionProgress, gather } from './gathering.ts'
import type { TaskWatch } from './task-watch.ts'

interface CollectionSettings {
  /** How long a topic is fresh on a platform. */
  topicTtlMs: number
  /** How long a call's collections may continue in the background. */
  jobTimeLimitMs: number
}

export interface PlanDependencies {
  database: Database
  clock: Clock
  queue: TaskQueue
  enabledPlatforms: readonly PlatformName[]
  settings: CollectionSettings
}

interface PlannedCall {
  callId: string
  operation: LiveOperation
  topics: string[]
  platforms: readonly PlatformName[]
}

const pairsOf = (topics: readonly string[], platforms: readonly PlatformName[]) =>
  topics.flatMap((topic) => platforms.map((platform) => ({ topic, platform })))

/** Starts or joins a call's collections and records them, in one transaction. */
function startPlan(
  { database, clock, queue, enabledPlatforms, settings }: PlanDependencies,
  { callId, operation, topics, platforms: named }: PlannedCall,
): Promise<CallPlan> {
  const { on: platforms, off } = choosePlatforms(named, enabledPlatforms)
  const fromExpansion = operation === 'expand'
  const now = clock.now()
  const freshAfter = new Date(now.getTime() - settings.topicTtlMs)
  const expiresAt = new Date(now.getTime() + settings.jobTimeLimitMs)
  // No platform is called for a topic without words.
  const searchable = topics.filter((topic) => searchWords(topic).length > 0)
  return database.transaction().execute(async (transaction) => {
    const collections =
      platforms.length === 0
        ? []
        : await startCollections(transaction, queue, {
            topics: searchable,
            fromExpansion,
            platforms,
            now,
            freshAfter,
            expiresAt,
          })
    const plan = { topics, collections, off: pairsOf(searchable, off) }
    await recordPlan(transaction, callId, plan)
    return plan
  })
}

export interface LiveSettings extends CollectionSettings {
  /** Duration of a call until its answer. */
  deadlineMs: number
}

export interface Collected extends Gathered {
  topics: string[]
  startedAt: Date
}

export interface LiveEvents {
  topics(topics: readonly string[]): void
  collection(progress: CollectionProgress): void
}

export interface LiveCall<Answer extends { meta: object }> {
  operation: LiveOperation
  /** As named by the caller: a query or topic. */
  topic: string
  platforms: readonly PlatformName[]
  /** Topics to collect. The signal aborts once they are no longer needed. */
  topicsFor(signal: AbortSignal): Promise<string[]>
  events?: LiveEvents
  read(collected: Collected): Promise<Answer>
}

export interface CallDependencies extends PlanDependencies {
  log: Logger
  settings: LiveSettings
  pricing: Pricing
  watch: TaskWatch
  /** Aborted at shutdown. */
  stopping: AbortSignal
}

export interface Caller {
  accountId: string
  /** The paying API key; null for a session without a key. */
  keyId: string | null
  keyHasBudget: boolean
  personName: string | null
  /** Aborted once no caller can get the answer: nothing more is started. */
  gone: AbortSignal
}

/** The steps of a live call for `IdempotentLongCall`. */
export interface CallSteps {
  begin(transaction: Transaction, idempotencyId: string | null): Promise<void>
  run(): Promise<string>
}

type Collecting = Pick<CallPlan, 'collections' | 'off'>

/** How far past its deadline a call's process counts as dead. */
export const graceMs = 60_000

function startTime({ clock, settings }: CallDependencies) {
  const startedAt = clock.now()
  const deadline = new Date(startedAt.getTime() + settings.deadlineMs)
  return { startedAt, deadline, timeUp: AbortSignal.timeout(settings.deadlineMs) }
}

/** A live call: reserves its credit, collects topics, and settles. */
export function createCallSteps<Answer extends { meta: object }>(
  dependencies: CallDependencies,
  call: LiveCall<Answer>,
  { gone, ...caller }: Caller,
): CallSteps {
  const { database, clock, log, watch, stopping, pricing } = dependencies
  const callId = randomUUID()
  // Reset in `begin`: a repeated call may have waited for the first until then.
  let time = startTime(dependencies)
  const onProgress = (progress: CollectionProgress) => call.events?.collection(progress)
  const waitFor = ({ collections, off }: Collecting) => {
    for (const pair of off) onProgress({ ...pair, state: 'skipped', newRequests: 0 })
    const signal = AbortSignal.any([time.timeUp, stopping])
    return gather({ watch, collections, signal, deadline: time.deadline, onProgress })
  }

  const collect = async (): Promise<string> => {
    const suggested = await call.topicsFor(AbortSignal.any([time.timeUp, gone]))
    // Do not store an answer without topics under a key: release the credit and free the key.
    if (stopping.aborted) throw new ServiceError('UNAVAILABLE', 'The service is stopping. Try again in a moment.')
    const topics = gone.aborted ? [] : suggested
    call.events?.topics(topics)
    const { operation, platforms } = call
    const reportLast = await waitFor(await startPlan(dependencies, { callId, operation, topics, platforms }))
    const { effect, tasks } = await settleOwnCall(database, callId, clock.now())
    for (const task of tasks) reportLast(task)
    return effect
  }

  return {
    begin: (transaction, idempotencyId) => {
      time = startTime(dependencies)
      const { startedAt: now, deadline } = time
      const expiresAt = new Date(deadline.getTime() + graceMs)
      const { operation, topic, platforms } = call
      const opened = { callId, operation, collects: { topic, platforms }, pricing }
      return openCall(transaction, { ...opened, ...caller, idempotencyId, now, expiresAt })
    },
    run: () =>
      collect().catch(async (error: unknown) => {
        await endBroken(dependencies, callId, waitFor).catch((cause) =>
          log.error({ err: cause, callId }, 'a live call could not be ended'),
        )
        throw error
      }),
  }
}

/** Ends a failed call: waits for its collections and pays as usual. If that fails too, the sweep settles it. */
async function endBroken(
  { database, clock }: CallDependencies,
  callId: string,
  waitFor: (plan: Collecting) => Promise<unknown>,
): Promise<void> {
  const plan = await readPlan(database, callId)
  await waitFor(plan ?? { collections: [], off: [] })
  const settling = { callId, isBroken: true, now: clock.now() }
  await database.transaction().execute((transaction) => settleCall(transaction, settling))
}

/** A call's answer, from its stored effect. */
export async function readAnswer<Answer extends { meta: object }>(
  { database, clock, pricing }: Pick<CallDependencies, 'database' | 'clock' | 'pricing'>,
  call: LiveCall<Answer>,
  accountId: string,
  noted: string,
) {
  const { startedAt, endedAt, ...effect }: CallEffect = JSON.parse(noted)
  const body = await call.read({ ...effect, startedAt: new Date(startedAt) })
  const credits = await readCreditUsage(database, pricing, { accountId }, clock.now())
  const scrapingTimeMs = Date.parse(endedAt) - Date.parse(startedAt)
  return { ...body, meta: { ...body.meta, scrapingTimeMs }, usage: { credits } }
}
