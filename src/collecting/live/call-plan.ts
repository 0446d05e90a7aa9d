import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { CallPlan } from '../../database/tables/collecting.ts'
import { choosePlatforms } from '../../platforms/off-platforms.ts'
import { searchWords } from '../../platforms/topic-words.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { TaskQueue } from '../scraping/queue.ts'
import { type LiveOperation, recordPlan } from './calls.ts'
import { startCollections } from './collections.ts'

export interface CollectionSettings {
  /** How long a topic is fresh on a platform. */
  topicTtlMs: number
  /** How long the collections of a call may continue in the background. */
  jobTimeLimitMs: number
}

export interface PlanDependencies {
  database: Database
  clock: Clock
  queue: TaskQueue
  enabledPlatforms: readonly PlatformName[]
  settings: CollectionSettings
}

export interface PlannedCall {
  callId: string
  operation: LiveOperation
  topics: string[]
  /** As its caller named them; those that are off are only reported. */
  platforms: readonly PlatformName[]
}

/** Each of the topics with each of the platforms. */
const pairsOf = (topics: readonly string[], platforms: readonly PlatformName[]) =>
  topics.flatMap((topic) => platforms.map((platform) => ({ topic, platform })))

/** Begins or joins the collections of a call, and records which they are, in one transaction. */
export function startPlan(
  { database, clock, queue, enabledPlatforms, settings }: PlanDependencies,
  { callId, operation, topics, platforms: named }: PlannedCall,
): Promise<CallPlan> {
  const { on: platforms, off } = choosePlatforms(named, enabledPlatforms)
  const fromExpansion = operation === 'expand'
  const now = clock.now()
  const freshAfter = new Date(now.getTime() - settings.topicTtlMs)
  const expiresAt = new Date(now.getTime() + settings.jobTimeLimitMs)
  // No platform is called for a topic without a word.
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
