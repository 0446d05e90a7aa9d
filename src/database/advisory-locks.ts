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
   * Held by what changes which wish a request is in, or what corrections say about requests that are not stored: placing, corrections of wishes, purges,
   * and pages that bring back corrected requests. Other pages never take it.
   */
  memberships: 4_680_011,
  /** With the hash of a source of accounts: shared by pages that found requests there, exclusive for a job that names it. */
  source: 4_680_017,
  /** Held while a slice of differences is added to the counts of topics. */
  topicCounts: 4_680_012,
  /** Held while a slice of texts, and of words that texts gained or lost, is added to the vocabulary. */
  vocabulary: 4_680_014,
  /** Held by the one transaction at a time that wakes the background work: the triggers that notify try to take it. */
  wakeUp: 4_680_015,
  /** With the hash of an account: held while a transaction that changed its view of wishes counts them and commits: by `recount_wishes`, last of all. */
  accountWishes: 4_680_016,
  /** With the hash of a topic: held while a live call finds or starts the collection of that topic. */
  liveTopic: 4_680_013,
} as const

export type AdvisoryLock = Exclude<keyof typeof numbers, 'liveTopic' | 'source' | 'wakeUp' | 'accountWishes'>

/** Takes a lock exclusively until the transaction ends. */
export async function takeLock(transaction: Transaction, lock: AdvisoryLock): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(numbers[lock])})`.execute(transaction)
}

/** Takes a lock exclusively until the transaction ends, if it is free now. */
export async function tryLock(transaction: Transaction, lock: AdvisoryLock): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(numbers[lock])}) as taken`.execute(transaction)
  return rows[0]!.taken
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

/** Takes the lock of how an account sees wishes, under which `recount_wishes` counts them. */
export async function takeAccountWishesLock(transaction: Transaction, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(numbers.accountWishes)}, hashtext(${accountId}::text))`.execute(
    transaction,
  )
}

/** Takes the locks of these sources of accounts, in the order of their hashes. @param mode shared by pages, exclusive for a naming */
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
