import type { PlatformErrorCode, PlatformName } from '../../database/column-types.ts'
import type { CallPlan, Collection } from '../../database/tables/collecting.ts'
import { offError } from '../../platforms/off-platforms.ts'
import { titleOf } from '../../platforms/registry.ts'
import { isFinalState } from '../scraping/task-changes.ts'
import type { WatchedTask } from './task-watch.ts'

/** Why a platform delivered nothing, or not everything, for a topic. */
export interface CollectionError {
  platform: PlatformName
  topic: string
  code: PlatformErrorCode
  message: string
  /** When a platform that waits is called again, ISO 8601; absent when it does not wait. */
  resumesAt?: string
}

/** The results of a call when it stops waiting. */
export interface Gathered {
  /** Topics of which at least one platform delivered a page to this call. A call pays when it is not 0. */
  topicsScraped: number
  /** Topics that are fresh on all platforms of the call. */
  topicsSkipped: number
  newResultsFound: number
  errors: CollectionError[]
}

/** The error of an open task that a call no longer waits for. */
function unfinished({ platform }: Collection, task: WatchedTask | undefined) {
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

/** The error of a platform that is not called because its open tasks are at their maximum. */
const refusal = ({ platform }: Collection) =>
  ({
    code: 'rate_limited',
    message: `${titleOf(platform)} has the maximum of open collections; try again when it has answered some.`,
  }) as const

function errorOf(collection: Collection, task: WatchedTask | undefined) {
  if (collection.isRefused) return refusal(collection)
  if (collection.taskId === null) return null
  return task === undefined || !isFinalState(task.state) ? unfinished(collection, task) : task.error
}

/** The results of a plan, from its tasks as they are now. */
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
