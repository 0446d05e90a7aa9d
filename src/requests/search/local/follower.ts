import type { Database } from '../../../database/open.ts'
import { createCoalescedReads } from '../../../runtime/request-coalescing.ts'
import { type Changes, commitPosition, hasChanges, readChanges } from '../outbox/outbox.ts'
import { readRowsOf } from './rows.ts'
import type { IndexStore } from './store.ts'

/** The log of changes does not go on from where the index is: the index must be built again. */
export class LostPositionError extends Error {
  override readonly name = 'LostPositionError'
}

export interface FollowerOptions {
  database: Database
  store: IndexStore
  /** The name under which the index is registered. */
  consumer: string
}

export interface Follower {
  /**
   * Writes everything that was committed before this call. Calls that wait share a round.
   * @throws LostPositionError, LocalIndexError, or the error of the shared database.
   */
  follow(): Promise<void>
  /** Writes one step. @returns whether there are more changes. */
  step(): Promise<boolean>
  /** How long ago everything that was committed then was in the index, in milliseconds. */
  behindMs(): number
  /** How many steps wrote something: what was read before such a step may be older than what is read after it. */
  revision(): number
}

/** Searches wait for a step, so it is short while it can keep up with the writers. */
const usualChanges = 50
const backlogChanges = 400
/** The position of an idle index moves this often, so that the log can be emptied behind it. */
const idleCommitMs = 60_000

/** Brings an index up to date with the log of changes. */
export function createFollower({ database, store, consumer }: FollowerOptions): Follower {
  const share = createCoalescedReads()
  let hasBacklog = false
  let position: string | null = null
  let committedAt = Number.NEGATIVE_INFINITY
  let caughtUpAt = Number.NEGATIVE_INFINITY
  let revision = 0

  const lost = (why: string) => new LostPositionError(`the log of changes ${why}`)
  const read = async (): Promise<Changes> => {
    const changes = await readChanges(database, consumer, hasBacklog ? backlogChanges : usualChanges)
    if (changes === null) throw lost('has not stored the changes for this index')
    return changes
  }
  const write = async ({ ids, from, to }: Changes): Promise<void> => {
    const rows = await readRowsOf(database, ids)
    await store.write(rows, { position: to, previous: from }, ids)
    revision++
  }
  const step = async (): Promise<boolean> => {
    const changes = await read()
    const { ids, from, to, hasMore } = changes
    const isDue = performance.now() - committedAt > idleCommitMs
    if (ids.length > 0) await write(changes)
    else if (isDue) await store.setState({ position: to, previous: from })
    if (ids.length > 0 || isDue) {
      // Last: after a crash before it, the same changes are read and written again.
      if (!(await commitPosition(database, consumer, changes))) throw lost('was read by another index of the same name')
      committedAt = performance.now()
      position = to
    }
    hasBacklog = hasMore
    return hasMore
  }
  const round = async (): Promise<void> => {
    const startedAt = performance.now()
    const isIdle = position !== null && startedAt - committedAt < idleCommitMs
    if (!isIdle || (await hasChanges(database, consumer, position!))) {
      while (await step());
    }
    caughtUpAt = startedAt
  }
  return {
    follow: () => share('round', round),
    step,
    behindMs: () => performance.now() - caughtUpAt,
    revision: () => revision,
  }
}
