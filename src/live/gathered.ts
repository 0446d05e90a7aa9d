import type { PlatformErrorCode, PlatformName } from '../database/column-types.ts'
import type { CallPlan, Collection } from '../database/tables/scraping.ts'
import { offError } from '../platforms/off-platforms.ts'
import { titleOf } from '../platforms/registry.ts'
import { isFinalState } from '../scraping/task-changes.ts'
import type { WatchedTask } from './task-watch.ts'

/** Why a platform gave nothing, or not everything, for a topic. */
export interface CollectionError {
  platform: PlatformName
  topic: string
  code: PlatformErrorCode
  message: string
  /** When a platform that waits is asked again, ISO 8601; absent where nothing is waited for. */
  resumesAt?: string
}

/** What a call has when it stops waiting. */
export interface Gathered {
  /** Topics of which at least one platform delivered a page to this call: with none it pays nothing. */
  topicsScraped: number
  /** Topics that are fresh on all platforms of the call. */
  topicsSkipped: number
  newResultsFound: number
  errors: CollectionError[]
}

/** What is said of a task that a call does not wait for any more. */
function silence({ platform }: Collection, task: WatchedTask | undefined) {
  const title = titleOf(platform)
  const until = task?.waitingUntil
  const code = task?.error?.code ?? 'timeout'
  if (!until) {
    return { code, message: `${title} had not answered by the deadline; its results will be in later searches.` }
  }
  const cause =
    code === 'rate_limited' ? `${title} is waiting for its rate limit` : `${title} cannot be reached and is tried again`
  return { code, message: `${cause}; its results will be in later searches.`, resumesAt: until.toISOString() }
}

/** What is said of a platform that is not asked because so much else waits for it. */
const refusal = ({ platform }: Collection) =>
  ({
    code: 'rate_limited',
    message: `${titleOf(platform)} has as many collections waiting as it may have; ask again when it has answered them.`,
  }) as const

function errorOf(collection: Collection, task: WatchedTask | undefined) {
  if (collection.isRefused) return refusal(collection)
  if (collection.taskId === null) return null
  return task === undefined || !isFinalState(task.state) ? silence(collection, task) : task.error
}

/** What the plan of a call has come to, as their tasks are at this moment. */
export function summarise({ collections, off }: CallPlan, tasks: readonly WatchedTask[]): Gathered {
  const known = new Map(tasks.map((task) => [task.taskId, task]))
  const taskOf = ({ taskId }: Collection) => (taskId === null ? undefined : known.get(taskId))
  const byTopic = [...Map.groupBy(collections, ({ topic }) => topic).values()]
  const isDelivered = (collection: Collection) => (taskOf(collection)?.pages ?? 0) > 0
  const errors = collections.flatMap((collection) => {
    const error = errorOf(collection, taskOf(collection))
    return error ? [{ platform: collection.platform, topic: collection.topic, ...error }] : []
  })
  return {
    topicsScraped: byTopic.filter((ofTopic) => ofTopic.some(isDelivered)).length,
    topicsSkipped: byTopic.filter((ofTopic) => ofTopic.every(({ taskId, isRefused }) => taskId === null && !isRefused))
      .length,
    newResultsFound: collections.reduce((sum, collection) => sum + (taskOf(collection)?.requestsCreated ?? 0), 0),
    errors: [...errors, ...off.map((pair) => ({ ...pair, ...offError(pair.platform) }))],
  }
}
