import type { Logger } from 'pino'
import type { TaskChange, TaskChanges } from './task-changes.ts'

export interface ChangeReaderOptions {
  changes: TaskChanges
  log: Logger
  /** The ids of the jobs or tasks that are followed now. */
  followed(): Iterable<string>
  /** The id that followers of a change follow it by. */
  idOf(change: TaskChange): string
  /** Reads these and delivers them to their followers. */
  deliver(ids: readonly string[]): Promise<void>
  /** How often every followed id is read again, for changes whose notification was lost. */
  pollMs: number
  idsPerQuery: number
}

export interface ChangeReader {
  /** Reads these soon; ids without a follower are ignored. */
  read(ids: Iterable<string>): void
  stop(): void
}

/**
 * Reads what changed, for all followers of this process: one query at a time, however many followers and changes there are.
 * Between a change and its delivery at most one other query runs.
 */
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
