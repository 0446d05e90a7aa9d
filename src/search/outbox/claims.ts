import { sql } from 'kysely'
import { type ClaimedRow, claimRows } from '../../database/claimed-work.ts'
import type { Executor } from '../../database/open.ts'

/** A consumer that a process has claimed; its id is its name. */
export interface ClaimedConsumer extends ClaimedRow {
  /** Whether all requests were copied: then it follows the changes. */
  isCopied: boolean
  /** The last request that was copied; null before the first. */
  copiedThrough: string | null
}

/**
 * Claims one of several consumers that has something to do, changes to read or requests to copy.
 * @returns null when nothing is to be done, or others do it.
 */
export async function claimConsumer(
  executor: Executor,
  names: readonly string[],
  claimMs: number,
): Promise<ClaimedConsumer | null> {
  const [consumer] = await claimRows<Omit<ClaimedConsumer, keyof ClaimedRow>>(executor, 'search_consumers', {
    where: sql`name = any(${[...names]}::text[]) and (not is_copied or exists (
      select from search_changes
      where transaction_id >= pg_snapshot_xmin(position) and not pg_visible_in_snapshot(transaction_id, position)))`,
    order: sql`random()`,
    ...{ max: 1, claimMs },
    columns: sql`is_copied as "isCopied", copied_through as "copiedThrough"`,
  })
  return consumer ?? null
}
