import type { Clock } from '../../runtime/clock.ts'
import { type ClaimedTask, claimTask } from './claim.ts'
import { defaultUnreachableMs } from './page-failure.ts'
import type { QueueMessage } from './queue.ts'
import { isFinalState, type TaskChange, type TaskChanges } from './task-changes.ts'
import { runTask, type TaskContext } from './task-run.ts'
import { TaskLostError } from './tasks.ts'

/** Longer Node timers fire at once; a job may end beyond this after the clock was set back. */
const maxTimerMs = 2 ** 31 - 1

interface Run {
  readonly taskId: string | null
  /** Aborted if the task was ended elsewhere, or with a TimeoutError at the job's time limit. */
  readonly stopped: AbortSignal
  hold(task: ClaimedTask): void
  end(): void
}

interface Runs {
  /** Call before claiming a task, so that no notification of its end is missed. */
  begin(): Run
  start(): void
  stop(): void
}

/** This process's running tasks. One stops if ended elsewhere or at its job's time limit. */
export function createRuns(changes: TaskChanges, clock: Clock): Runs {
  const listeners = new Set<(endedTaskId: string) => void>()
  let unsubscribe = () => {}

  const onChange = (change: TaskChange | null) => {
    if (change !== null && isFinalState(change.state)) for (const listener of listeners) listener(change.taskId)
  }

  function begin(): Run {
    const stopped = new AbortController()
    /** Tasks that ended during the claim, perhaps the claimed one. */
    const ended = new Set<string>()
    let taskId: string | null = null
    let timer: NodeJS.Timeout | undefined
    const listener = (endedTaskId: string) => {
      if (taskId === null) ended.add(endedTaskId)
      else if (taskId === endedTaskId) stopped.abort()
    }
    listeners.add(listener)
    return {
      get taskId() {
        return taskId
      },
      stopped: stopped.signal,
      hold: (task) => {
        taskId = task.taskId
        if (ended.has(taskId)) stopped.abort()
        const timeIsOver = () => stopped.abort(new DOMException('the time of the job is over', 'TimeoutError'))
        const leftMs = task.expiresAt.getTime() - clock.now().getTime()
        timer = setTimeout(timeIsOver, Math.min(Math.max(0, leftMs), maxTimerMs))
      },
      end: () => {
        clearTimeout(timer)
        listeners.delete(listener)
      },
    }
  }

  return {
    begin,
    start: () => {
      unsubscribe = changes.subscribe(onChange)
    },
    stop: () => unsubscribe(),
  }
}

const shutdownGraceMs = 5_000

export interface Worker {
  start(): Promise<void>
  /** Gives running pages a few seconds, and leaves every task ready for the next worker. */
  stop(): Promise<void>
}

export interface WorkerDependencies extends Omit<TaskContext, 'unreachableMs' | 'shutdown' | 'stopped'> {
  /** Notifies the worker if one of its tasks was ended elsewhere. */
  changes: TaskChanges
  /** For tests, instead of 45 s. */
  unreachableMs?: number | undefined
}

/** Runs queued tasks, as many at once as the queue has slots. */
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

  /** @throws what interrupted the task, so that the queue redelivers it */
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
