import type { Logger } from 'pino'
import type { Database } from '../database/open.ts'
import type { TaskState } from '../database/tables.ts'
import type { PlatformErrorCode } from '../platforms/platform.ts'
import type { TaskChanges } from '../scraping/task-changes.ts'

/** A task as it was at one moment. */
export interface WatchedTask {
  taskId: string
  state: TaskState
  pages: number
  requestsCreated: number
  /** While it waits for its platform. */
  waitingUntil: Date | null
  error: { code: PlatformErrorCode; message: string } | null
}

export interface TaskWatch {
  /** Calls back with each of the tasks as it is now and whenever it changes. @returns the function that ends it. */
  follow(taskIds: readonly string[], onTask: (task: WatchedTask) => void): () => void
  /** The tasks as they are now. */
  read(taskIds: readonly string[]): Promise<WatchedTask[]>
  stop(): void
}

/** How often every followed task is read again, for changes that nobody was told of. */
const pollMs = 2_000

async function readTasks(database: Database, taskIds: readonly string[]): Promise<WatchedTask[]> {
  const rows = await database
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

/** Watches tasks for the calls of this process, with one query at a time for all of them, however many wait for the same task. */
export function createTaskWatch({
  database,
  changes,
  log,
}: {
  database: Database
  changes: TaskChanges
  log: Logger
}): TaskWatch {
  const followers = new Map<string, Set<(task: WatchedTask) => void>>()
  const changed = new Set<string>()
  let reading = false
  let stopped = false

  async function readChanged(): Promise<void> {
    if (reading) return
    reading = true
    try {
      while (changed.size > 0 && !stopped) {
        const taskIds = [...changed]
        changed.clear()
        for (const task of await readTasks(database, taskIds)) {
          for (const tell of followers.get(task.taskId) ?? []) tell(task)
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'tasks could not be read, it is tried again')
    } finally {
      reading = false
    }
  }
  const look = (taskIds: Iterable<string>) => {
    for (const taskId of taskIds) if (followers.has(taskId)) changed.add(taskId)
    if (changed.size > 0) void readChanged()
  }
  const unsubscribe = changes.subscribe((change) => look(change === null ? followers.keys() : [change.taskId]))
  const poll = setInterval(() => look(followers.keys()), pollMs).unref()

  return {
    follow: (taskIds, onTask) => {
      for (const taskId of taskIds) {
        const tellers = followers.get(taskId) ?? new Set()
        followers.set(taskId, tellers.add(onTask))
      }
      look(taskIds)
      return () => {
        for (const taskId of taskIds) {
          const tellers = followers.get(taskId)
          tellers?.delete(onTask)
          if (tellers?.size === 0) followers.delete(taskId)
        }
      }
    },
    read: (taskIds) => readTasks(database, taskIds),
    stop: () => {
      stopped = true
      clearInterval(poll)
      unsubscribe()
    },
  }
}
