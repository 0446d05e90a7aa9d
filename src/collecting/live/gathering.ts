import type { PlatformName } from '../../database/column-types.ts'
import type { Collection } from '../../database/tables/collecting.ts'
import { isFinalState } from '../scraping/task-changes.ts'
import type { TaskWatch, WatchedTask } from './task-watch.ts'

export type CollectionState = 'waiting' | 'done' | 'error' | 'skipped' | 'fresh'

export interface CollectionProgress {
  topic: string
  platform: PlatformName
  state: CollectionState
  newRequests: number
}

function progressOf(
  { topic, platform, taskId, isRefused }: Collection,
  task: WatchedTask | undefined,
): CollectionProgress {
  const progress = { topic, platform, newRequests: task?.requestsCreated ?? 0 }
  if (taskId === null) return { ...progress, state: isRefused ? 'error' : 'fresh' }
  if (task === undefined || task.state === 'pending' || task.state === 'running')
    return { ...progress, state: 'waiting' }
  return { ...progress, state: task.state }
}

export interface GatherOptions {
  watch: TaskWatch
  collections: readonly Collection[]
  /** Aborted at the deadline, or at shutdown. */
  signal: AbortSignal
  deadline: Date
  /** Called for each collection, initially and on each state change. */
  onProgress(progress: CollectionProgress): void
}

/** Waits for the collections, or the deadline or signal. Never fails. @returns a function for the final progress */
export async function gather({ watch, collections, signal, deadline, onProgress }: GatherOptions) {
  const byTask = new Map(
    collections.flatMap((collection) => (collection.taskId ? [[collection.taskId, collection]] : [])),
  )
  const reported = new Map<Collection, CollectionState>()
  const report = (collection: Collection, task?: WatchedTask) => {
    const progress = progressOf(collection, task)
    if (reported.get(collection) === progress.state) return
    reported.set(collection, progress.state)
    onProgress(progress)
  }
  const reportTask = (task: WatchedTask) => report(byTask.get(task.taskId)!, task)
  for (const collection of collections) report(collection)
  const waiting = new Set(byTask.keys())
  if (waiting.size === 0) return reportTask
  const isOver = ({ state, waitingUntil }: WatchedTask) =>
    isFinalState(state) || (waitingUntil !== null && waitingUntil > deadline)
  const { promise, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  const unfollow = watch.follow([...waiting], (task) => {
    reportTask(task)
    if (isOver(task)) waiting.delete(task.taskId)
    else waiting.add(task.taskId)
    if (waiting.size === 0) resolve()
  })
  if (signal.aborted) resolve()
  await promise
  unfollow()
  signal.removeEventListener('abort', onAbort)
  return reportTask
}
