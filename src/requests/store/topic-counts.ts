import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Database } from '../../database/open.ts'

/** The maximum statements whose differences one transaction folds: in the embedded backend all other statements wait for it. */
const maxSliceRows = 20

/**
 * Adds a slice of the differences that statements appended (`topic_deltas`) to the counts of topics. What takes a row away adds it in the same
 * transaction, so an interrupted slice is folded by the next one.
 * @returns whether there may be more.
 */
export async function foldTopicCounts(database: Database, sliceRows = maxSliceRows): Promise<boolean> {
  const folded = await database.transaction().execute(async (transaction) => {
    await takeLock(transaction, 'topicCounts')
    // A statement of its own: it must see what the lock was waited for.
    const { rows } = await sql<{ folded: number }>`select fold_topic_deltas(${sliceRows}::integer) as folded`.execute(
      transaction,
    )
    return rows[0]!.folded
  })
  return folded === sliceRows
}

/** Adds all differences to the counts of topics. */
export async function foldAllTopicCounts(database: Database): Promise<void> {
  while (await foldTopicCounts(database));
}
