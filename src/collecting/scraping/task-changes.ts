import type { TaskState } from '../../database/column-types.ts'
import type { Listen } from '../../database/postgres/listen.ts'

/** A task began, stored a page, waits or ended, in any process. It is sent after the commit. */
export interface TaskChange {
  jobId: string
  taskId: string
  state: TaskState
}

export interface TaskChanges {
  /** Calls back for each change, and with null when changes may have been missed. @returns the function that unsubscribes. */
  subscribe(onChange: (change: TaskChange | null) => void): () => void
  stop(): Promise<void>
}

/** The trigger that notifies has the same name. */
const channel = 'wishwell_tasks'

export const isFinalState = (state: TaskState): boolean => state !== 'pending' && state !== 'running'

function parse(payload: string): TaskChange | null {
  const [jobId, taskId, state] = payload.split(' ')
  return jobId && taskId && state ? { jobId, taskId, state: state as TaskState } : null
}

/** Listens to the changes of all tasks, on one connection for the process. */
export async function listenToTasks(listen: Listen): Promise<TaskChanges> {
  const subscribers = new Set<(change: TaskChange | null) => void>()
  const stop = await listen(channel, (payload) => {
    const change = payload === null ? null : parse(payload)
    for (const onChange of subscribers) onChange(change)
  })
  return {
    subscribe: (onChange) => {
      subscribers.add(onChange)
      return () => void subscribers.delete(onChange)
    },
    stop,
  }
}
