import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { correctionRefusal, countCorrection } from '../../accounts/accounts.ts'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'
import { ServiceError } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { invalidField } from '../../http/validation.ts'
import { lockRequestsOf } from '../../requests/store/request-locks.ts'
import { copyMarks } from '../marks/marks.ts'
import { type Member, readMembers } from '../members.ts'
import { applyCorrections } from './apply.ts'

/** The author of merges that a model confirmed. */
export const modelName = 'model'

/**
 * Locks what a correction of these wishes may move: the requests of all wishes connected with them by merges and
 * earlier corrections, against pages; and all memberships until the transaction ends. Call before reading members.
 *
 * A correction also re-derives, without moving it, what other corrections put beside its requests in an account's view.
 * Those requests are not locked here: all other membership changes need the lock `memberships`, and a deletion is
 * waited for on writing (`apply.ts`).
 * @param accountId null for the operator, whose corrections may move requests of any account's wishes
 */
export async function lockWishes(
  transaction: Transaction,
  accountId: string | null,
  wishIds: readonly string[],
): Promise<void> {
  await takeLock(transaction, 'memberships')
  const ids = wishIds.filter(isId)
  const concerns = accountId === null ? sql`true` : sql`(account_id is null or account_id = ${accountId}::uuid)`
  const holds = sql`kind = 'merge' and undone_at is null and ${concerns}`
  await lockRequestsOf(
    transaction,
    sql`with recursive connected (id) as (
        select unnest(${ids}::uuid[])
        union
        select neighbour.id from connected, lateral (
          select to_wish_id as id from wish_corrections where from_wish_id = connected.id and ${holds}
          union all
          select from_wish_id from wish_corrections where to_wish_id = connected.id and ${holds}
          union all
          select wish_id from wish_placings where ${concerns} and source_hash in (
            select source_hash from wish_placings as here where here.wish_id = connected.id)
        ) as neighbour
      )
      select id from connected
      union select request_id from wish_members join connected on connected.id = wish_id
      union select request_id from wish_placings join connected on connected.id = wish_id`,
  )
}

/** How many undone corrections per owner stay readable. */
const maxUndone = 1_000
/** The most pairs that a split remembers, likely and most voted requests of the wish first. */
const maxPartings = 10_000

/** Corrections people make directly; `skip` only answers a suggestion. */
export const madeKinds = ['merge', 'split', 'part'] as const
export const correctionKinds = [...madeKinds, 'skip'] as const
export type CorrectionKind = (typeof correctionKinds)[number]

export interface Corrector {
  /** Null for the operator, whose corrections hold for all accounts. */
  accountId: string | null
  /** `key <id>`, `session <id>`, `admin`, `model` or `placing`. */
  madeBy: string
  now: Date
}

interface NewCorrection extends Corrector {
  kind: CorrectionKind
  fromWishId: string
  toWishId: string
}

/** Inserts, counts and limits a correction in one statement. @throws ServiceError CONFLICT, NOT_FOUND */
async function insertCorrection(
  transaction: Transaction,
  { accountId, madeBy, now, kind, fromWishId, toWishId }: NewCorrection,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with owner as (${countCorrection(accountId)})
    insert into wish_corrections (account_id, kind, made_by, created_at, from_wish_id, to_wish_id)
    select id, ${kind}, ${madeBy}, ${now}, ${fromWishId}::uuid, ${toWishId}::uuid from owner returning id`.execute(
    transaction,
  )
  const [correction] = rows
  if (!correction) throw await correctionRefusal(transaction, accountId)
  await sql`
    delete from wish_corrections where id in (
      select id from wish_corrections where account_id is not distinct from ${accountId}::uuid and undone_at is not null
      order by sequence desc offset ${maxUndone})`.execute(transaction)
  return correction.id
}

interface Move {
  source_hash: string
  from_wish_id: string
  to_wish_id: string
}

const insertMoves = (transaction: Transaction, correctionId: string, moves: readonly Move[]) =>
  sql`
    insert into wish_moves (correction_id, source_hash, from_wish_id, to_wish_id)
    select ${correctionId}::uuid, source_hash, from_wish_id, to_wish_id
    from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as move (source_hash text, from_wish_id uuid, to_wish_id uuid)`.execute(
    transaction,
  )

const membersByHash = (members: readonly Member[]) => new Map(members.map(({ id, sourceHash }) => [sourceHash, id]))

/**
 * Merges one wish into another, which keeps its id.
 * @returns the correction's id, for undoing it.
 * @throws ServiceError NOT_FOUND for a wish the account does not see, INVALID_REQUEST for the same wish, CONFLICT at
 * the maximum of corrections or for too large wishes.
 */
export async function mergeWishes(
  transaction: Transaction,
  { fromWishId, toWishId, ...corrector }: Corrector & { fromWishId: string; toWishId: string },
): Promise<string> {
  const { accountId } = corrector
  await lockWishes(transaction, accountId, [fromWishId, toWishId])
  const into = await readMembers(transaction, accountId, toWishId)
  const [from, to] = [fromWishId.toLowerCase(), toWishId.toLowerCase()]
  if (from === to) throw invalidField('otherWishId', 'must be another wish')
  const merged = await readMembers(transaction, accountId, from)
  const correctionId = await insertCorrection(transaction, {
    ...corrector,
    kind: 'merge',
    fromWishId: from,
    toWishId: to,
  })
  const moves = [
    ...merged.map(({ sourceHash }) => ({ source_hash: sourceHash, from_wish_id: from, to_wish_id: to })),
    // These hold together the wish that the others joined.
    ...into.map(({ sourceHash }) => ({ source_hash: sourceHash, from_wish_id: to, to_wish_id: to })),
  ]
  await insertMoves(transaction, correctionId, moves)
  const members = membersByHash([...merged, ...into])
  await copyMarks(transaction, { accountId, fromWishId: from, toWishId: to })
  await applyCorrections(transaction, accountId, { wishIds: [from, to], members, released: new Map() })
  return correctionId
}

/** Remembers that each parted request differs from (or was skipped beside) each staying one; smaller hash first. */
async function insertPartings(
  transaction: Transaction,
  { accountId, isSkipped = false }: Pick<Corrector, 'accountId'> & { isSkipped?: boolean },
  correctionId: string,
  [parted, staying]: readonly [readonly Member[], readonly Member[]],
): Promise<void> {
  const hashes = (members: readonly Member[]) => members.map(({ sourceHash }) => sourceHash)
  const near = hashes(staying).slice(0, Math.floor(maxPartings / parted.length))
  await sql`
    insert into wish_partings (correction_id, account_id, one_hash, other_hash, is_skipped)
    select ${correctionId}::uuid, ${accountId}::uuid, least(one, other), greatest(one, other), ${isSkipped}
    from unnest(${hashes(parted)}::text[]) as one, unnest(${near}::text[]) as other
    on conflict do nothing`.execute(transaction)
}

/**
 * Takes requests out of a wish into a new one. Placing never rejoins them with those that stay.
 * @returns the correction, and the new wish.
 * @throws ServiceError NOT_FOUND for a wish or request the account does not see there; CONFLICT if no likely request
 * would stay, at the maximum of corrections, or for a too large wish.
 */
export async function splitWish(
  transaction: Transaction,
  { wishId, requestIds, ...corrector }: Corrector & { wishId: string; requestIds: readonly string[] },
): Promise<{ correctionId: string; newWishId: string }> {
  const { accountId } = corrector
  await lockWishes(transaction, accountId, [wishId])
  const members = await readMembers(transaction, accountId, wishId)
  const named = new Set(requestIds.map((id) => id.toLowerCase()))
  const parted = members.filter(({ id, standing }) => named.has(id) && standing === 2)
  if (parted.length < named.size) {
    throw new ServiceError('NOT_FOUND', 'Request not found in this wish.')
  }
  const staying = members.filter(({ id }) => !named.has(id))
  if (!staying.some(({ standing }) => standing === 2)) {
    throw new ServiceError('CONFLICT', 'A wish needs a request that stays. Leave at least one of them out.')
  }
  const [fromWishId, newWishId] = [wishId.toLowerCase(), randomUUID()]
  const correctionId = await insertCorrection(transaction, {
    ...corrector,
    kind: 'split',
    fromWishId,
    toWishId: newWishId,
  })
  const moves = parted.map(({ sourceHash }) => ({
    source_hash: sourceHash,
    from_wish_id: fromWishId,
    to_wish_id: newWishId,
  }))
  await insertMoves(transaction, correctionId, moves)
  await insertPartings(transaction, corrector, correctionId, [parted, staying])
  const change = { wishIds: [fromWishId, newWishId], members: membersByHash(parted), released: new Map() }
  await applyCorrections(transaction, accountId, change)
  return { correctionId, newWishId }
}

/**
 * Records that two wishes differ (`part`), or should not be asked about again (`skip`). Nothing moves; after `part`,
 * placing joins no requests of the two, or of large wishes none of the most voted.
 * @returns the id of the correction, for undoing it.
 * @throws ServiceError NOT_FOUND for a wish the account does not see, INVALID_REQUEST for the same wish, CONFLICT at
 * the maximum of corrections.
 */
export async function partWishes(
  transaction: Transaction,
  { kind, wishIds, ...corrector }: Corrector & { kind: 'part' | 'skip'; wishIds: readonly [string, string] },
): Promise<string> {
  const { accountId } = corrector
  const [toWishId, fromWishId] = wishIds.map((id) => id.toLowerCase()) as [string, string]
  await lockWishes(transaction, accountId, [toWishId, fromWishId])
  const sides = [
    await readMembers(transaction, accountId, fromWishId, { isCapped: true }),
    await readMembers(transaction, accountId, toWishId, { isCapped: true }),
  ] as const
  if (fromWishId === toWishId) throw invalidField('otherWishId', 'must be another wish')
  const correctionId = await insertCorrection(transaction, { ...corrector, kind, fromWishId, toWishId })
  await insertPartings(transaction, { accountId, isSkipped: kind === 'skip' }, correctionId, sides)
  return correctionId
}
