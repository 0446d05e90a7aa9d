import { sql } from 'kysely'
import type { Executor } from '../../../database/open.ts'

/** A consumer that a process has claimed. */
export interface ClaimedConsumer {
  name: string
  /** Whether all requests were copied: then it follows the changes. */
  isCopied: boolean
  /** The last request that was copied; null before the first. */
  copiedThrough: string | null
}

/**
 * Claims one of several consumers that has something to do, changes to read or requests to copy: as long as the lease lasts, no other
 * process claims it. A process that dies leaves it to the others when the lease ends.
 * @param owner the id of the process.
 * @returns null when nothing is to be done, or others do it.
 */
export async function claimConsumer(
  executor: Executor,
  names: readonly string[],
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<ClaimedConsumer | null> {
  const { rows } = await sql<ClaimedConsumer>`
    update search_consumers set lease_owner = ${owner}::uuid, lease_until = now() + make_interval(secs => ${leaseMs / 1000}::float8)
    where name = (
      select name from search_consumers
      where name = any(${[...names]}::text[]) and (lease_until is null or lease_until < now()) and (not is_copied or exists (
        select from search_changes
        where transaction_id >= pg_snapshot_xmin(position) and not pg_visible_in_snapshot(transaction_id, position)))
      order by random() limit 1 for update skip locked
    ) returning name, is_copied as "isCopied", copied_through as "copiedThrough"`.execute(executor)
  return rows[0] ?? null
}

/** Ends the lease of a process that has done its slice, or stops, so that any may go on at once. */
export async function endLease(executor: Executor, owner: string): Promise<void> {
  await sql`
    update search_consumers set lease_owner = null, lease_until = null where lease_owner = ${owner}::uuid`.execute(
    executor,
  )
}
