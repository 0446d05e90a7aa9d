import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Database, Transaction } from '../../database/open.ts'
import { ServiceError } from '../../http/errors.ts'
import { queuePlacing } from '../../requests/wish-numbers/recount.ts'
import { dayMs } from '../../runtime/durations.ts'
import { mergeWishes } from '../corrections/corrections.ts'
import { queueCores, readMemberHashes } from './place.ts'
import type { Target } from './targets.ts'

/** Who made the merge of two wishes that were alike when one of them was compared again. */
const placingName = 'placing'

/** Whether the operator said that two wishes are not the same, or took back that they are. @param other may be a request by itself */
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
  /** As `findTargets` gives them. */
  targets: readonly Target[]
  now: Date
}

/**
 * Joins a wish with another one that its core is like by now: with one of several requests by a merge for all, which the operator can undo; requests by
 * themselves are placed again. The larger wish stays.
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
    // The other targets are compared with the wish that there is now.
    await queueCores(transaction, [toWishId])
    return
  }
}

/**
 * Joins a wish with those that its core is like by now.
 * @param onError what keeps apart two that are alike: a wish is too large to be merged
 */
export async function joinGrown(
  database: Database,
  grown: Grown,
  onError: (error: unknown, id: string) => void,
): Promise<void> {
  try {
    await database.transaction().execute((transaction) => joinAlike(transaction, grown))
  } catch (error) {
    // Nothing of a wish is likely any more: there is nothing to join.
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return
    onError(error, grown.coreId)
  }
}

/** So many wishes are compared again in a round of maintenance. */
const maxAgain = 50

/**
 * Has the wishes of several requests compared again, each once a day and some in each round, while nothing else waits to be placed: a first collection of
 * another day, or other words, may have kept apart what is the same.
 */
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
