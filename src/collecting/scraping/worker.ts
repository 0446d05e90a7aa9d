import { claimTask } from './claim.ts'
import { defaultUnreachableMs } from './page-failure.ts'
import type { QueueMessage } from './queue.ts'
import { createRuns, type Run } from './runs.ts'
import type { TaskChanges } from './task-changes.ts'
import { runTask, type TaskContext } from './task-run.ts'
import { TaskLostError } from './tasks.ts'

/** How long a page that is under way at shutdown may still take. */
const shutdownGraceMs = 5_000

export interface Worker {
  start(): Promise<void>
  /** Gives the pages under way a few seconds to finish, and leaves every task ready for the next worker. */
  stop(): Promise<void>
}

export interface WorkerDependencies extends Omit<TaskContext, 'unreachableMs' | 'shutdown' | 'stopped'> {
  /** Notifies the worker when one of its tasks was ended elsewhere. */
  changes: TaskChanges
  /** Instead of 45 s, for tests. */
  unreachableMs?: number | undefined
}

/** Runs the tasks that the queue hands out, as many at once as the queue has slots. */
export function createWorker(dependencies: WorkerDependencies): Worker {
  const { database, queue, changes, clock, log, unreachableMs = defaultUnreachableMs } = dependencies
  const fetching = new AbortController()
  const shutdown = { isRequested: false, signal: fetching.signal }
  const runs = createRuns(changes, clock)

  async function runNext(run: Run, message: QueueMessage): Promise<void> {
    const task = await claimTask(database, message, clock.now())
    if (task === null) return
    run.hold(task)
    await runTask({ ...dependencies, unreachableMs, shutdown, stopped: run.stopped }, task)
  }

  /** @throws what interrupted the task, so that the queue hands it out again. */
  async function handle(message: QueueMessage): Promise<void> {
    const run = runs.begin()
    try {
      await runNext(run, message)
    } catch (error) {
      const { taskId } = run
      if (error instanceof TaskLostError) return log.info({ taskId }, 'task was ended, or taken over by another worker')
      log.error({ err: error, taskId, attempt: message.retryCount }, 'task interrupted, it will be taken up again')
      throw error
    } finally {
      run.end()
    }
  }

  return {
    start: () => {
      runs.start()
      return queue.work(handle)
    },
    stop: async () => {
      shutdown.isRequested = true
      const grace = setTimeout(() => fetching.abort(), shutdownGraceMs)
      await queue.stop()
      clearTimeout(grace)
      runs.stop()
    },
  }
}
