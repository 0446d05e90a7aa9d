import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'

/** A current merge: the requests of one wish are in the other. */
interface Merge {
  correctionId: string
  accountId: string | null
  fromWishId: string
  toWishId: string
}

interface MergedWish {
  wishId: string
  correctionId: string
}

/** Wishes connected by merges, and what each became. */
export interface MergedWishes {
  /** All of them, including remaining ones. */
  wishIds: readonly string[]
  merges: readonly Merge[]
  /** Only the wishes that were merged away. */
  merged: ReadonlyMap<string, MergedWish>
  /** The wish that now has this wish's requests. */
  resultOf(wishId: string): string
}

/** Applies merges in order (union-find without path compression). The target wish keeps its id. */
function applyMerges(merges: readonly Merge[]): Pick<MergedWishes, 'merged' | 'resultOf'> {
  const into = new Map<string, MergedWish>()
  const resultOf = (wishId: string): string => {
    let result = wishId
    for (let next = into.get(result); next; next = into.get(result)) result = next.wishId
    return result
  }
  for (const { correctionId, fromWishId, toWishId } of merges) {
    const from = resultOf(fromWishId)
    const to = resultOf(toWishId)
    if (from !== to) into.set(from, { wishId: to, correctionId })
  }
  const merged = new Map(
    [...into].map(([wishId, { correctionId }]) => [wishId, { wishId: resultOf(wishId), correctionId }]),
  )
  return { merged, resultOf }
}

/** The wishes connected with the given ones by merges of the account (null: only the operator's). */
export async function readMergedWishes(
  transaction: Transaction,
  accountId: string | null,
  wishIds: readonly string[],
): Promise<MergedWishes> {
  const holds = sql`kind = 'merge' and undone_at is null and (account_id is null or account_id = ${accountId}::uuid)`
  const { rows: connected } = await sql<{ id: string }>`
    with recursive connected (id) as (
      select unnest(${wishIds}::uuid[])
      union
      select neighbour.id from connected, lateral (
        select to_wish_id as id from wish_corrections where from_wish_id = connected.id and ${holds}
        union all
        select from_wish_id from wish_corrections where to_wish_id = connected.id and ${holds}
      ) as neighbour
    )
    select id from connected`.execute(transaction)
  const ids = connected.map(({ id }) => id)
  const { rows: merges } = await sql<Merge>`
    select id as "correctionId", account_id as "accountId", from_wish_id as "fromWishId", to_wish_id as "toWishId"
    from wish_corrections where from_wish_id = any(${ids}::uuid[]) and ${holds} order by sequence`.execute(transaction)
  const { merged, resultOf } = applyMerges(merges)
  return { wishIds: ids, merges, merged, resultOf }
}

/** Updates the `account_wish_merges` of these wishes, for those that the account itself merged. */
export async function writeAccountMerges(
  transaction: Transaction,
  accountId: string,
  { wishIds, merges, merged, resultOf }: MergedWishes,
): Promise<void> {
  // Without its own merge, the account sees the operator's in the shared wishes.
  const own = new Set(merges.filter((merge) => merge.accountId !== null).map(({ toWishId }) => resultOf(toWishId)))
  const fresh = [...merged].flatMap(([from, { wishId, correctionId }]) =>
    own.has(wishId) ? [{ wish_id: from, into_wish_id: wishId, correction_id: correctionId }] : [],
  )
  await sql`
    delete from account_wish_merges where account_id = ${accountId} and wish_id = any(${wishIds}::uuid[])
      and not (wish_id = any(${fresh.map((row) => row.wish_id)}::uuid[]))`.execute(transaction)
  if (fresh.length === 0) return
  await sql`
    insert into account_wish_merges as stored (account_id, wish_id, into_wish_id, correction_id)
    select ${accountId}::uuid, wish_id, into_wish_id, correction_id
    from jsonb_to_recordset(${JSON.stringify(fresh)}::jsonb) as fresh (wish_id uuid, into_wish_id uuid, correction_id uuid)
    order by wish_id
    on conflict (account_id, wish_id) do update
      set into_wish_id = excluded.into_wish_id, correction_id = excluded.correction_id
    where (stored.into_wish_id, stored.correction_id) <> (excluded.into_wish_id, excluded.correction_id)`.execute(
    transaction,
  )
}
