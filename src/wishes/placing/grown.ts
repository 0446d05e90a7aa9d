import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Database, Transaction } from '../../database/open.ts'
import { ServiceError } from '../../http/errors.ts'
import { queuePlacing } from '../../requests/wish-numbers/recount.ts'
import { dayMs } from '../../runtime/durations.ts'
import { mergeWishes } from '../corrections/corrections.ts'
import { queueCores, readMemberHashes } from './place.ts'
import type { Target } from './targets.ts'

/** The author of automatic merges, when a wish compared again resembles another. */
const placingName = 'placing'

/** Whether the operator parted two wishes or undid their merge. @param other may be a single request */
async function areKeptApart(transaction: Transaction, one: string, other: string): Promise<boolean> {
  const [ours, theirs] = [await readMemberHashes(transaction, one), await readMemberHashes(transaction, other)]
  const { rows } = await sql<{ apart: boolean }>`
    select exists (select from wish_partings where account_id is null and not is_skipped
        and (one_hash = any(${ours}::text[]) and other_hash = any(${theirs}::text[])
          or one_hash = any(${theirs}::text[]) and other_hash = any(${ours}::text[])))
      or exists (select from wish_corrections where account_id is null and kind = 'merge' and undone_at is not null
        and from_wish_id = any(array[${one}, ${other}]::uuid[]) and to_wish_id = any(array[${one}, ${other}]::uuid[])) as apart`.execute(
    transaction,
  )
  return rows[0]!.apart
}

interface Grown {
  coreId: string
  targets: readonly Target[]
  now: Date
}

/**
 * Joins a wish with one that its core now resembles; the larger stays. Wishes of several requests are merged for all
 * (the operator can undo it); single requests are placed again.
 */
async function joinAlike(transaction: Transaction, { coreId, targets, now }: Grown): Promise<void> {
  await takeLock(transaction, 'memberships')
  const ids = [coreId, ...targets.map((target) => target.coreId)]
  const { rows } = await sql<{ request_id: string; wish_id: string; members: number }>`
    select request_id, wish_id, (select count(*)::int from wish_members as member where member.wish_id = core.wish_id) as members
    from wish_members as core where is_core and request_id = any(${ids}::uuid[])`.execute(transaction)
  const wishOf = new Map(rows.map((row) => [row.request_id, row]))
  const own = wishOf.get(coreId)
  if (own === undefined) return
  for (const { coreId: otherId } of targets) {
    const other = wishOf.get(otherId)
    if (other?.wish_id === own.wish_id) continue
    if (await areKeptApart(transaction, own.wish_id, other?.wish_id ?? otherId)) continue
    if (other === undefined) {
      await queuePlacing(transaction, [otherId])
      continue
    }
    const isLarger = own.members > other.members || (own.members === other.members && own.wish_id < other.wish_id)
    const [toWishId, fromWishId] = isLarger ? [own.wish_id, other.wish_id] : [other.wish_id, own.wish_id]
    await mergeWishes(transaction, { accountId: null, madeBy: placingName, now, fromWishId, toWishId })
    // The other targets are compared with the merged wish.
    await queueCores(transaction, [toWishId])
    return
  }
}

/** Joins a wish with those that its core now resembles. @param onError called if a wish is too large to merge */
export async function joinGrown(
  database: Database,
  grown: Grown,
  onError: (error: unknown, id: string) => void,
): Promise<void> {
  try {
    await database.transaction().execute((transaction) => joinAlike(transaction, grown))
  } catch (error) {
    // Nothing of the wish is likely anymore, so there is nothing to join.
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return
    onError(error, grown.coreId)
  }
}

const maxAgain = 50

/** Queues wishes for comparison once a day, while idle: later texts may join what was kept apart. */
export async function compareAgain(database: Database, now: Date): Promise<void> {
  await sql`
    with due as materialized (
      select id from wishes where compared_at < ${new Date(now.getTime() - dayMs)} and not exists (select from wish_queue)
      order by compared_at limit ${sql.lit(maxAgain)} for update skip locked
    ), compared as (
      update wishes set compared_at = ${now} where id in (select id from due)
    )
    insert into wish_queue (request_id)
    select request_id from wish_members where is_core and wish_id in (select id from due) order by request_id on conflict do nothing`.execute(
    database,
  )
}
