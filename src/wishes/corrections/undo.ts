import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'
import { isId } from '../../http/ids.ts'
import { applyCorrections } from './apply.ts'
import { type Corrector, lockWishes } from './corrections.ts'

interface UndoneCorrection {
  sequence: string
  from_wish_id: string
  to_wish_id: string
}

/** Marks a correction as undone and uncounts it. @returns null if it was already undone. */
async function closeCorrection(
  transaction: Transaction,
  correctionId: string,
  { madeBy, now }: Corrector,
): Promise<UndoneCorrection | null> {
  const { rows } = await sql<UndoneCorrection>`
    with undone as (
      update wish_corrections set undone_at = ${now}, undone_by = ${madeBy} where id = ${correctionId} and undone_at is null
      returning account_id, sequence, from_wish_id, to_wish_id
    ), counted as (
      update accounts set corrections = corrections - 1 from undone where accounts.id = undone.account_id
    )
    select sequence, from_wish_id, to_wish_id from undone`.execute(transaction)
  return rows[0] ?? null
}

/** Forgets an undone correction; the next one of a request starts where it started. @returns that wish, by hash. */
async function forgetMoves(
  transaction: Transaction,
  accountId: string | null,
  correctionId: string,
  sequence: string,
): Promise<Map<string, string>> {
  await sql`
    update wish_moves as later set from_wish_id = undone.from_wish_id from wish_moves as undone
    where undone.correction_id = ${correctionId} and later.source_hash = undone.source_hash and later.correction_id = (
      select correction.id from wish_moves as move join wish_corrections as correction on correction.id = move.correction_id
      where move.source_hash = undone.source_hash and correction.account_id is not distinct from ${accountId}::uuid
        and correction.sequence > ${sequence}::bigint
      order by correction.sequence limit 1)`.execute(transaction)
  await sql`delete from wish_partings where correction_id = ${correctionId}`.execute(transaction)
  const { rows } = await sql<{ source_hash: string; from_wish_id: string }>`
    delete from wish_moves where correction_id = ${correctionId} returning source_hash, from_wish_id`.execute(
    transaction,
  )
  return new Map(rows.map(({ source_hash, from_wish_id }) => [source_hash, from_wish_id]))
}

/** Undoes a correction; idempotent. Later corrections stay. @returns false if the owner has none with this id. */
export async function undoWishCorrection(
  transaction: Transaction,
  correctionId: string,
  corrector: Corrector,
): Promise<boolean> {
  if (!isId(correctionId)) return false
  const { accountId } = corrector
  const { rows } = await sql<{ from_wish_id: string; to_wish_id: string }>`
    select from_wish_id, to_wish_id from wish_corrections where id = ${correctionId} and account_id is not distinct from ${accountId}::uuid`.execute(
    transaction,
  )
  const [correction] = rows
  if (!correction) return false
  await lockWishes(transaction, accountId, [correction.from_wish_id, correction.to_wish_id])
  const undone = await closeCorrection(transaction, correctionId, corrector)
  if (undone === null) return true
  const { sequence, from_wish_id, to_wish_id } = undone
  const released = await forgetMoves(transaction, accountId, correctionId, sequence)
  await applyCorrections(transaction, accountId, {
    wishIds: [from_wish_id, to_wish_id],
    members: new Map(),
    released,
  })
  return true
}

/** Deletes a deleted account's corrections and own wishes. Its count of corrections is set elsewhere. */
export async function deleteWishCorrectionsOf(transaction: Transaction, accountId: string): Promise<void> {
  await takeLock(transaction, 'memberships')
  // Before the overlay, which is derived from them.
  await sql`delete from wish_corrections where account_id = ${accountId}`.execute(transaction)
  await sql`delete from wish_placings where account_id = ${accountId}`.execute(transaction)
  await sql`delete from account_wish_members where account_id = ${accountId}`.execute(transaction)
  await sql`delete from account_wish_merges where account_id = ${accountId}`.execute(transaction)
}
