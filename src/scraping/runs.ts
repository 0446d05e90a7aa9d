import type { Clock } from '../runtime/clock.ts'
import type { ClaimedTask } from './claim.ts'
import { isFinalState, type TaskChange, type TaskChanges } from './task-changes.ts'

/** A place of this process, with the task that is in its hands. */
export interface Run {
  /** Null until it is claimed. */
  readonly taskId: string | null
  /** Aborted when somebody else has ended the task, or (with a TimeoutError) when its time is over. */
  readonly stopped: AbortSignal
  hold(task: ClaimedTask): void
  end(): void
}

export interface Runs {
  /** Before a task is claimed, so that no word of its end can be missed. */
  begin(): Run
  start(): void
  stop(): void
}

/** What this process works at: it hears there that a task was ended elsewhere, and when the time of one is over. */
export function createRuns(changes: TaskChanges, clock: Clock): Runs {
  const listeners = new Set<(endedTaskId: string) => void>()
  let unsubscribe = () => {}

  const onChange = (change: TaskChange | null) => {
    if (change !== null && isFinalState(change.state)) for (const tell of listeners) tell(change.taskId)
  }

  function begin(): Run {
    const stopped = new AbortController()
    /** While the task is being claimed: it may be one of these. */
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
