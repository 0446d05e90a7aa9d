import type { Logger } from 'pino'
import type { TaskState } from '../../database/column-types.ts'
import type { Listen } from '../../database/postgres/listen.ts'

interface ChangeReaderOptions {
  changes: TaskChanges
  log: Logger
  followed(): Iterable<string>
  /** The id by which followers know the changed task. */
  idOf(change: TaskChange): string
  /** Reads these and delivers them to their followers. */
  deliver(ids: readonly string[]): Promise<void>
  /** Interval for rereading all followed ids, in case a notification was lost. */
  pollMs: number
  idsPerQuery: number
}

interface ChangeReader {
  /** Reads these soon, ignoring ids without followers. */
  read(ids: Iterable<string>): void
  stop(): void
}

/** Reads changes for all followers of this process, one query at a time. */
export function createChangeReader(options: ChangeReaderOptions): ChangeReader {
  const { changes, log, followed, idOf, deliver, pollMs, idsPerQuery } = options
  const changed = new Set<string>()
  let reading = false
  let stopped = false

  async function readChanged(): Promise<void> {
    if (reading) return
    reading = true
    try {
      while (changed.size > 0 && !stopped) {
        const ids = [...changed].slice(0, idsPerQuery)
        for (const id of ids) changed.delete(id)
        await deliver(ids)
      }
    } catch (error) {
      log.warn({ err: error }, 'changes of followed jobs could not be read; the next poll reads them')
    } finally {
      reading = false
    }
  }
  const read = (ids: Iterable<string>) => {
    const known = new Set(followed())
    for (const id of ids) if (known.has(id)) changed.add(id)
    if (changed.size > 0) void readChanged()
  }
  const unsubscribe = changes.subscribe((change) => read(change === null ? followed() : [idOf(change)]))
  const poll = setInterval(() => read(followed()), pollMs).unref()
  return {
    read,
    stop: () => {
      stopped = true
      clearInterval(poll)
      unsubscribe()
    },
  }
}

/** A task began, stored a page, waits or ended, in any process. Sent after the commit. */
export interface TaskChange {
  jobId: string
  taskId: string
  state: TaskState
}

export interface TaskChanges {
  /** Calls back for each change, and with null if some may be missed. @returns the function that unsubscribes */
  subscribe(onChange: (change: TaskChange | null) => void): () => void
  stop(): Promise<void>
}

/** The notifying trigger uses the same name. */
const channel = 'wishwell_tasks'

export const isFinalState = (state: TaskState): boolean => state !== 'pending' && state !== 'running'

function parse(payload: string): TaskChange | null {
  const [jobId, taskId, state] = payload.split(' ')
  return jobId && taskId && state ? { jobId, taskId, state: state as TaskState } : null
}

/** Listens to all tasks' changes on one connection per process. */
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
