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

/** Who made what a model takes for the same. */
export const modelName = 'model'

/**
 * Locks what a correction of these wishes may move: the requests of all wishes that merges and earlier corrections connect with them, so that no
 * page changes one of them meanwhile; and that nothing else changes a membership until the transaction ends. To be called before
 * the members are read.
 *
 * A correction also derives anew what it does not move: what corrections put beside its requests in the view of an account. Those requests
 * are not locked here. No page, placing, mark or other correction can change their membership, since all of these take `memberships`, so they are
 * written as they are; only a deletion can pass, and what is written waits for it (`apply.ts`).
 * @param accountId null for the operator, whose corrections may move the requests of any account's wishes.
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

/** How many undone corrections of an owner stay readable. */
const maxUndone = 1_000
/** The maximum of pairs that a split remembers: with the likely and most voted requests of the wish first. */
const maxPartings = 10_000

/** What people may say by themselves; `skip` answers a suggestion. */
export const madeKinds = ['merge', 'split', 'part'] as const
export const correctionKinds = [...madeKinds, 'skip'] as const
export type CorrectionKind = (typeof correctionKinds)[number]

/** Who says it. */
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

/** One statement counts the correction and checks the maximum. @returns its id. @throws ServiceError CONFLICT, NOT_FOUND */
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
 * Merges one wish into another one, whose id stays. The members of both are remembered.
 * @returns the id of the correction, by which it is undone.
 * @throws ServiceError NOT_FOUND for a wish that the account does not see, INVALID_REQUEST for one and the same, CONFLICT when the
 * account has the maximum of corrections, or the wishes are too large.
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
    // They hold the wish together that the others came into.
    ...into.map(({ sourceHash }) => ({ source_hash: sourceHash, from_wish_id: to, to_wish_id: to })),
  ]
  await insertMoves(transaction, correctionId, moves)
  const members = membersByHash([...merged, ...into])
  await copyMarks(transaction, { accountId, fromWishId: from, toWishId: to })
  await applyCorrections(transaction, accountId, { wishIds: [from, to], members, released: new Map() })
  return correctionId
}

/** Remembers of each of the parted requests that it is not the same as each that stays, or was skipped beside it. The smaller hash of a pair is the first. */
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
 * Takes requests out of a wish: they are not the same as those that stay, and together a new wish. Placing never joins such a pair.
 * @returns the correction, and the wish of the requests that were taken out.
 * @throws ServiceError NOT_FOUND for a wish that the account does not see, or a request that it does not see there; CONFLICT when no
 * likely request would stay, the account has the maximum of corrections, or the wish is too large.
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
 * Says that two wishes are not the same, or that nobody is to be asked about them again. Nothing moves; placing joins no request of one with the
 * other after `part`: of large wishes none of their most voted ones.
 * @returns the id of the correction, by which it is undone.
 * @throws ServiceError NOT_FOUND for a wish that the account does not see, INVALID_REQUEST for one and the same, CONFLICT when the account has
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
