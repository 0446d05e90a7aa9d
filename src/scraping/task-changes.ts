import type { TaskState } from '../database/column-types.ts'
import type { Listen } from '../database/postgres/listen.ts'

/** A task was begun, has stored a page, waits, or has ended; told after that was committed, by whatever process. */
export interface TaskChange {
  jobId: string
  taskId: string
  state: TaskState
}

export interface TaskChanges {
  /** Calls back for each change, and with null when some may have been missed. @returns the function that ends it. */
  subscribe(onChange: (change: TaskChange | null) => void): () => void
  stop(): Promise<void>
}

/** The name is in the trigger that notifies. */
const channel = 'wishwell_tasks'

export const isFinalState = (state: TaskState): boolean => state !== 'pending' && state !== 'running'

function parse(payload: string): TaskChange | null {
  const [jobId, taskId, state] = payload.split(' ')
  return jobId && taskId && state ? { jobId, taskId, state: state as TaskState } : null
}

/** Hears of the changes of all tasks, on one connection for the whole process. */
export async function listenToTasks(listen: Listen): Promise<TaskChanges> {
  const subscribers = new Set<(change: TaskChange | null) => void>()
  const stop = await listen(channel, (payload) => {
    const change = payload === null ? null : parse(payload)
    for (const tell of subscribers) tell(change)
  })
  return {
    subscribe: (onChange) => {
      subscribers.add(onChange)
      return () => void subscribers.delete(onChange)
    },
    stop,
  }
}
