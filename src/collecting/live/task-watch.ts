import type { Logger } from 'pino'
import type { PlatformErrorCode, TaskState } from '../../database/column-types.ts'
import type { Database, Executor } from '../../database/open.ts'
import { createChangeReader, type TaskChanges } from '../scraping/task-changes.ts'

export interface WatchedTask {
  taskId: string
  state: TaskState
  pages: number
  requestsCreated: number
  waitingUntil: Date | null
  error: { code: PlatformErrorCode; message: string } | null
}

export interface TaskWatch {
  /** Calls back with each task now and on each change. @returns the function that unsubscribes */
  follow(taskIds: readonly string[], onTask: (task: WatchedTask) => void): () => void
  stop(): void
}

/** Interval for rereading followed tasks, in case a notification was lost. */
const pollMs = 2_000
const idsPerQuery = 500

/** The tasks' current state. */
export async function readTasks(executor: Executor, taskIds: readonly string[]): Promise<WatchedTask[]> {
  if (taskIds.length === 0) return []
  const rows = await executor
    .selectFrom('scrape_tasks')
    .select(['id', 'state', 'pages', 'requests_created', 'waiting_until', 'error_code', 'error_message'])
    .where('id', 'in', [...taskIds])
    .execute()
  return rows.map((row) => ({
    taskId: row.id,
    state: row.state,
    pages: row.pages,
    requestsCreated: row.requests_created,
    waitingUntil: row.waiting_until,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  }))
}

export interface TaskWatchDependencies {
  database: Database
  changes: TaskChanges
  log: Logger
}

/** Watches tasks for all live calls of this process, with one query at a time. */
export function createTaskWatch({ database, changes, log }: TaskWatchDependencies): TaskWatch {
  const followers = new Map<string, Set<(task: WatchedTask) => void>>()

  const reader = createChangeReader({
    changes,
    log,
    followed: () => followers.keys(),
    idOf: ({ taskId }) => taskId,
    deliver: async (taskIds) => {
      for (const task of await readTasks(database, taskIds)) {
        for (const onTask of followers.get(task.taskId) ?? []) onTask(task)
      }
    },
    pollMs,
    idsPerQuery,
  })
  const unfollow = (taskId: string, onTask: (task: WatchedTask) => void) => {
    const ofTask = followers.get(taskId)
    ofTask?.delete(onTask)
    if (ofTask?.size === 0) followers.delete(taskId)
  }
  return {
    follow: (taskIds, onTask) => {
      for (const taskId of taskIds) followers.set(taskId, (followers.get(taskId) ?? new Set()).add(onTask))
      reader.read(taskIds)
      return () => {
        for (const taskId of taskIds) unfollow(taskId, onTask)
      }
    },
    stop: () => reader.stop(),
  }
}
