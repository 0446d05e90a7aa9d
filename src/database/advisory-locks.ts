import { sql } from 'kysely'
import type { Transaction } from './open.ts'

/** Equal in all processes. A transaction takes its locks in this order and before row locks, so that none deadlock. */
const numbers = {
  bootstrap: 4_680_001,
  /** Held while building a search index, which takes minutes on a full table. */
  searchIndex: 4_680_002,
  /** Shared by every page being stored; exclusive for a purge that adds suppressions. */
  suppressions: 4_680_003,
  /**
   * Held to change wishes of requests, or corrections of unstored ones: placing, wish corrections, purges, and pages
   * that restore corrected requests; never by other pages.
   */
  memberships: 4_680_011,
  /** Per hash of an account's source: shared by pages with requests from it, exclusive for a job that names it. */
  source: 4_680_017,
  /** Held while adding a batch of differences to topic counts. */
  topicCounts: 4_680_012,
  /** Held while a batch of texts, or of words gained or lost, is added to the vocabulary. */
  vocabulary: 4_680_014,
  /** Held by the one transaction that wakes background work: notifying triggers try to take it. */
  wakeUp: 4_680_015,
  /** Per hash of an account: held by `recount_wishes`, last, from counting a changed view of wishes to the commit. */
  accountWishes: 4_680_016,
  /** Per hash of a topic: held while a live call finds or starts the topic's collection. */
  liveTopic: 4_680_013,
} as const

export type AdvisoryLock = Exclude<keyof typeof numbers, 'liveTopic' | 'source' | 'wakeUp' | 'accountWishes'>

/** Locks exclusively until the transaction ends. */
export async function takeLock(transaction: Transaction, lock: AdvisoryLock): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(numbers[lock])})`.execute(transaction)
}

/** Locks exclusively until the transaction ends, if the lock is free. */
export async function tryLock(transaction: Transaction, lock: AdvisoryLock): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(numbers[lock])}) as taken`.execute(transaction)
  return rows[0]!.taken
}

/** Takes a shared lock until the transaction ends: waits for an exclusive holder and blocks new ones. */
export async function takeSharedLock(transaction: Transaction, lock: AdvisoryLock): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${sql.lit(numbers[lock])})`.execute(transaction)
}

/** Locks these topics, in the order of their hashes. @param keys from `topicKey` */
export async function takeLiveTopicLocks(transaction: Transaction, keys: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(${sql.lit(numbers.liveTopic)}, hash)
    from (select distinct hashtext(key) as hash from unnest(${[...keys]}::text[]) as key order by 1) as hashes`.execute(
    transaction,
  )
}

/** Locks an account's view of wishes, which `recount_wishes` counts under this lock. */
export async function takeAccountWishesLock(transaction: Transaction, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(numbers.accountWishes)}, hashtext(${accountId}::text))`.execute(
    transaction,
  )
}

/** Locks account sources, in the order of their hashes. @param mode shared for pages, exclusive to name them */
export async function takeSourceLocks(
  transaction: Transaction,
  sources: readonly { platform: string; source: string }[],
  mode: 'shared' | 'exclusive',
): Promise<void> {
  if (sources.length === 0) return
  const take = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  await sql`
    select ${take}(${sql.lit(numbers.source)}, hash)
    from (select distinct hashtext(key) as hash from unnest(${sources.map(({ platform, source }) => `${platform} ${source}`)}::text[]) as key
      order by 1) as hashes`.execute(transaction)
}
