import type { PlatformErrorCode, PlatformName } from '../platforms/platform.ts'
import { isFinalState } from '../scraping/task-changes.ts'
import type { Collection } from './collections.ts'
import type { TaskWatch, WatchedTask } from './task-watch.ts'

export type CollectionState = 'waiting' | 'done' | 'error' | 'skipped' | 'fresh'

/** How far a collection is, as the events of a call tell it. */
export interface CollectionProgress {
  topic: string
  platform: PlatformName
  state: CollectionState
  /** Requests that were new to the cache. */
  newRequests: number
}

/** Why a platform gave nothing, or not everything, for a topic. */
export interface CollectionError {
  platform: PlatformName
  topic: string
  code: PlatformErrorCode
  message: string
}

/** What a call has when it stops waiting. */
export interface Gathered {
  /** Topics of which at least one platform delivered a page to this call. */
  topicsScraped: number
  /** Topics that are fresh on all platforms of the call. */
  topicsSkipped: number
  newResultsFound: number
  /** Whether any page was stored: whoever waited for one pays. */
  delivered: boolean
  errors: CollectionError[]
}

/** What is said of a task that a call does not wait for any more. */
function silence({ platform }: Collection, task: WatchedTask | undefined): { code: 'timeout'; message: string } {
  const until = task?.waitingUntil
  const message = until
    ? `${platform} is next asked at ${until.toISOString()}; what it has then is in the answers after that.`
    : `${platform} had not answered by the deadline; what it has is in later answers.`
  return { code: 'timeout', message }
}

/** What is said of a platform that is not asked because so much else waits for it. */
const refusal = ({ platform }: Collection) =>
  ({
    code: 'rate_limited',
    message: `${platform} has as many collections waiting as it may have; ask again when it has answered them.`,
  }) as const

function progressOf(
  { topic, platform, taskId, isRefused }: Collection,
  task: WatchedTask | undefined,
): CollectionProgress {
  const place = { topic, platform, newRequests: task?.requestsCreated ?? 0 }
  if (taskId === null) return { ...place, state: isRefused ? 'error' : 'fresh' }
  if (task === undefined || task.state === 'pending' || task.state === 'running') return { ...place, state: 'waiting' }
  return { ...place, state: task.state }
}

function errorOf(collection: Collection, task: WatchedTask | undefined) {
  if (collection.isRefused) return refusal(collection)
  if (collection.taskId === null) return null
  return task === undefined || !isFinalState(task.state) ? silence(collection, task) : task.error
}

function summarise(collections: readonly Collection[], tasks: ReadonlyMap<string, WatchedTask>): Gathered {
  const taskOf = ({ taskId }: Collection) => (taskId === null ? undefined : tasks.get(taskId))
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
    delivered: collections.some(isDelivered),
    errors,
  }
}

export interface GatherOptions {
  watch: TaskWatch
  collections: readonly Collection[]
  /** Aborted at the deadline, or when nobody waits any more. */
  signal: AbortSignal
  deadline: Date
  /** Called with each collection at first and whenever its state changes. */
  onProgress(progress: CollectionProgress): void
}

/**
 * Waits until every collection has ended, or cannot end before the deadline, or the signal is aborted. The tasks go on by
 * themselves: nothing here can stop them.
 */
export async function gather({ watch, collections, signal, deadline, onProgress }: GatherOptions): Promise<Gathered> {
  const byTask = new Map(
    collections.flatMap((collection) => (collection.taskId ? [[collection.taskId, collection]] : [])),
  )
  const tasks = new Map<string, WatchedTask>()
  const told = new Map<Collection, CollectionState>()
  const tell = (collection: Collection, task?: WatchedTask) => {
    const progress = progressOf(collection, task)
    if (told.get(collection) === progress.state) return
    told.set(collection, progress.state)
    onProgress(progress)
  }
  for (const collection of collections) tell(collection)
  const isOver = (taskId: string) => {
    const task = tasks.get(taskId)
    if (task === undefined) return false
    return isFinalState(task.state) || (task.waitingUntil !== null && task.waitingUntil > deadline)
  }
  const waiting = new Set(byTask.keys())
  const see = (task: WatchedTask) => {
    tasks.set(task.taskId, task)
    tell(byTask.get(task.taskId)!, task)
    if (isOver(task.taskId)) waiting.delete(task.taskId)
    else waiting.add(task.taskId)
  }
  if (waiting.size === 0) return summarise(collections, tasks)
  const { promise, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  const unfollow = watch.follow([...waiting], (task) => {
    see(task)
    if (waiting.size === 0) resolve()
  })
  if (signal.aborted) resolve()
  await promise
  unfollow()
  signal.removeEventListener('abort', onAbort)
  // What was stored at the last moment is in the answer, so it must not be called missing.
  if (waiting.size > 0) for (const task of await watch.read([...waiting])) see(task)
  return summarise(collections, tasks)
}
