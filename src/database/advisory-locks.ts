import { sql } from 'kysely'
import type { Transaction } from './open.ts'

/**
 * The numbers of the advisory locks, the same in every process on one Postgres. A transaction that takes several takes them in
 * this order, and all of them before its first lock of a row: so two transactions never wait for each other.
 */
const numbers = {
  /** Held while the first account is made. */
  bootstrap: 4_680_001,
  /** Held while a search index is built, which takes minutes on a full table. */
  searchIndex: 4_680_002,
  /** Shared by every page that is being stored; exclusive for a purge that adds suppressions. */
  suppressions: 4_680_003,
  /**
   * Held while requests are stored or deleted: their triggers change the counts of any topics in any order. Taken before the lock
   * of a job.
   */
  topics: 4_680_011,
  /** Held while a slice of differences is added to the counts of topics. */
  topicCounts: 4_680_012,
  /** With the hash of a topic: held while a live call finds or starts the collection of that topic. */
  liveTopic: 4_680_013,
} as const

export type AdvisoryLock = Exclude<keyof typeof numbers, 'liveTopic'>

/** Takes a lock exclusively until the transaction ends. */
export async function takeLock(transaction: Transaction, lock: AdvisoryLock): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(numbers[lock])})`.execute(transaction)
}

/** Takes the lock in shared mode until the transaction ends: waits for an exclusive holder and keeps others from becoming one. */
export async function takeSharedLock(transaction: Transaction, lock: AdvisoryLock): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${sql.lit(numbers[lock])})`.execute(transaction)
}

/** Takes the locks of these topics, in the order of their hashes. @param keys as `topicKey` makes them. */
export async function takeLiveTopicLocks(transaction: Transaction, keys: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(${sql.lit(numbers.liveTopic)}, hash)
    from (select distinct hashtext(key) as hash from unnest(${[...keys]}::text[]) as key order by 1) as hashes`.execute(
    transaction,
  )
}
