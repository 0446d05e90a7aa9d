import { sql } from 'kysely'
import type { Transaction } from '../database/open.ts'

/** No other module uses the number. */
const topicsLock = 4_680_011

/**
 * Everything that stores or deletes requests takes this before its first row, and has it until its transaction ends. Each of
 * them changes the counts of any topics in any order, so without it two of them could wait for each other for ever. It is
 * taken after the lock of the suppressions and before the lock of a job.
 */
export async function lockTopics(transaction: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(topicsLock)})`.execute(transaction)
}
