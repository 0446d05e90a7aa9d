import { sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { registerConsumer } from '../outbox/outbox.ts'
import { type Follower, LostPositionError } from './follower.ts'
import { readNextRows } from './rows.ts'
import type { IndexState, IndexStore } from './store.ts'

/** A statement of the embedded database with so many rows takes some 100 ms, in a thread of its own. */
const copiedRows = 200
/** While it copies, an index follows the changes this often: the log does not grow for as long as a build takes. */
const followEveryMs = 1_000

export interface BuildInput {
  database: Database
  store: IndexStore
  consumer: string
  follower: Follower
  signal: AbortSignal
  /** Called after each step with the requests that it copied. */
  onCopied: (requests: number) => void
  /** Called before each step, and before it catches up with the changes; for tests. */
  beforeStep?: ((copied: number) => Promise<void>) | undefined
  /** Requests that one statement copies. */
  batch?: number | undefined
}

async function readPosition(database: Database, consumer: string): Promise<string | null> {
  const { rows } = await sql<{ position: string }>`
    select position::text as position from search_consumers where name = ${consumer}`.execute(database)
  return rows[0]?.position ?? null
}

/** Registers a new index. @throws LostPositionError when the log does not go on from where an older one is. */
async function findPosition({ database, store, consumer, signal }: BuildInput, state: IndexState): Promise<void> {
  const { position, previous } = state
  if (position === null) {
    await registerConsumer(database, consumer, { signal })
    await store.setState({ position: await readPosition(database, consumer) })
    return
  }
  const stored = await readPosition(database, consumer)
  if (stored === position || (stored !== null && stored === previous)) return
  const why = stored === null ? 'has not stored the changes' : 'is at another position than the index'
  throw new LostPositionError(`the log of changes ${why}`)
}

/**
 * Makes an index complete: copies all requests that it does not have yet, in the order of their ids, and follows all changes. What an earlier
 * process copied is not copied again.
 * @throws LostPositionError, LocalIndexError, the reason of the signal, or the error of the shared database.
 */
export async function completeIndex(input: BuildInput): Promise<void> {
  const { database, store, follower, signal, onCopied, beforeStep, batch = copiedRows } = input
  const state = await store.readState()
  await findPosition(input, state)
  let after = state.copied_through
  let copied = 0
  let followedAt = performance.now()
  for (let isComplete = state.is_complete; !isComplete; ) {
    await beforeStep?.(copied)
    signal.throwIfAborted()
    const rows = await readNextRows(database, after, batch)
    after = rows.last ?? after
    isComplete = rows.count < batch
    await store.write(rows, { copied_through: after, is_complete: isComplete })
    copied += rows.count
    onCopied(rows.count)
    if (performance.now() - followedAt > followEveryMs) {
      await follower.step()
      followedAt = performance.now()
    }
  }
  await beforeStep?.(copied)
  signal.throwIfAborted()
  while (await follower.step()) signal.throwIfAborted()
}
