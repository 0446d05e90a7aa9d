import type { Clock } from '../../runtime/clock.ts'
import type { ClaimedTask } from './claim.ts'
import { isFinalState, type TaskChange, type TaskChanges } from './task-changes.ts'

/** One slot of this process, with the task that it runs. */
export interface Run {
  /** Null until it is claimed. */
  readonly taskId: string | null
  /** Aborted when the task was ended elsewhere, or (with a TimeoutError) when the time of its job is over. */
  readonly stopped: AbortSignal
  hold(task: ClaimedTask): void
  end(): void
}

export interface Runs {
  /** Must be called before a task is claimed, so that no notification of its end is missed. */
  begin(): Run
  start(): void
  stop(): void
}

/** The tasks that this process runs. A task is stopped when it was ended elsewhere, or when the time of its job is over. */
export function createRuns(changes: TaskChanges, clock: Clock): Runs {
  const listeners = new Set<(endedTaskId: string) => void>()
  let unsubscribe = () => {}

  const onChange = (change: TaskChange | null) => {
    if (change !== null && isFinalState(change.state)) for (const listener of listeners) listener(change.taskId)
  }

  function begin(): Run {
    const stopped = new AbortController()
    /** Tasks that ended during the claim: the claimed task may be one of them. */
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
        timer = setTimeout(timeIsOver, Math.max(0, task.expiresAt.getTime() - clock.now().getTime()))
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
