import { sql } from 'kysely'
import type { Executor } from '../../../database/open.ts'
import { isOfPart } from './parts.ts'

/**
 * Claims one of several consumers that processes share, the one whose lease ended first: as long as the lease lasts, no other process
 * claims it. A process that dies leaves its leases to the others when they end.
 * @param owner the id of the process: it may claim what it has already.
 * @returns null when others have all of them.
 */
export async function claimConsumer(
  executor: Executor,
  names: readonly string[],
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    update search_consumers set lease_owner = ${owner}::uuid, lease_until = now() + make_interval(secs => ${leaseMs / 1000}::float8)
    where name = (
      select name from search_consumers
      where name = any(${[...names]}::text[]) and (lease_until is null or lease_until < now())
      order by lease_until nulls first limit 1 for update skip locked
    ) returning name`.execute(executor)
  return rows[0]?.name ?? null
}

/** Prolongs a lease. @returns false when another process has the consumer now. */
export async function renewLease(
  executor: Executor,
  name: string,
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update search_consumers set lease_until = now() + make_interval(secs => ${leaseMs / 1000}::float8)
    where name = ${name} and lease_owner = ${owner}::uuid`.execute(executor)
  return numAffectedRows > 0n
}

/** Ends all leases of a process that stops, so that others take over at once. */
export async function endLeases(executor: Executor, owner: string): Promise<void> {
  await sql`
    update search_consumers set lease_owner = null, lease_until = null where lease_owner = ${owner}::uuid`.execute(
    executor,
  )
}

/**
 * Of these consumers one that has something to do and that no process has claimed: changes to read, or requests to copy. Null when
 * there is none.
 */
export async function findWork(executor: Executor, names: readonly string[]): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select name from search_consumers
    where name = any(${[...names]}::text[]) and (lease_until is null or lease_until < now()) and (not is_copied or exists (
      select from search_changes
      where transaction_id >= pg_snapshot_xmin(position) and not pg_visible_in_snapshot(transaction_id, position)
        and ${isOfPart(sql`request_id`, { part: sql`part`, parts: sql`parts` })}
    )) order by random() limit 1`.execute(executor)
  return rows[0]?.name ?? null
}
