import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { lockAccount } from '../../accounts/made-by-key.ts'
import { personName, personOf } from '../../accounts/sessions/people.ts'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import { notFound, ServiceError } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { named } from '../../http/openapi-components.ts'
import { closed, moment, nullable, oneOf } from '../../http/schemas.ts'
import type { MarkFilter } from '../list/filters.ts'

export const marks = ['planned', 'done', 'ignored'] as const

export type Mark = (typeof marks)[number]

export const maxMarkedWishes = 10_000

export const wishMark = closed(
  {
    mark: nullable(oneOf(marks)),
    starred: Type.Boolean(),
    note: Type.String({ description: 'Empty when there is none' }),
    owner: Type.String({ description: 'Who looks after it, as the account wrote it; empty for nobody' }),
    personName,
    updatedAt: moment('When it last changed'),
  },
  named('WishMark'),
)
export type WishMark = Static<typeof wishMark>

/** Absent fields stay unchanged. */
interface MarkChanges {
  mark?: Mark | null
  starred?: boolean
  note?: string
  owner?: string
}

interface MarkRow {
  wish_id: string
  mark: Mark | null
  starred: boolean
  note: string
  owner: string
  person_name: string | null
  updated_at: Date
}

const toMark = ({ mark, starred, note, owner, person_name, updated_at }: MarkRow): WishMark => ({
  mark,
  starred,
  note,
  owner,
  personName: person_name,
  updatedAt: updated_at.toISOString(),
})

/** An account's marks on wishes; unmarked ones are omitted. */
export async function readMarks(
  executor: Executor,
  accountId: string,
  wishIds: readonly string[],
): Promise<Map<string, WishMark>> {
  if (wishIds.length === 0) return new Map()
  const { rows } = await sql<MarkRow>`
    select wish_id, mark, starred, note, owner, ${personOf(sql`made_by`)} as person_name, updated_at from wish_marks
    where account_id = ${accountId} and wish_id = any(${wishIds}::uuid[])`.execute(executor)
  return new Map(rows.map((row) => [row.wish_id, toMark(row)]))
}

/** Adds an account's marks to wishes. Never for shared or cached answers. */
export async function withMarks<Wish extends { wishId: string }>(
  executor: Executor,
  accountId: string,
  wishes: readonly Wish[],
): Promise<(Wish & { mark: WishMark | null })[]> {
  const marks = await readMarks(
    executor,
    accountId,
    wishes.map(({ wishId }) => wishId),
  )
  return wishes.map((wish) => ({ ...wish, mark: marks.get(wish.wishId) ?? null }))
}

interface NewMark {
  accountId: string
  wishId: string
  changes: MarkChanges
  /** `key <id>` or `session <id>`. */
  madeBy: string
  now: Date
  /** Whether the account sees the wish. Marks of wishes no longer visible can still be changed and removed. */
  isSeen: (transaction: Transaction, accountId: string, wishId: string) => Promise<boolean>
}

/** Enforces the maximum. Safe because the account's row is locked. */
async function refuseBeyondMaximum(transaction: Transaction, accountId: string): Promise<void> {
  if (!(await lockAccount(transaction, accountId))) throw notFound('Account')
  const { rows } = await sql<{ marked: number }>`
    select count(*)::integer as marked from wish_marks where account_id = ${accountId}`.execute(transaction)
  if ((rows[0]?.marked ?? 0) < maxMarkedWishes) return
  const maximum = maxMarkedWishes.toLocaleString('en-US')
  throw new ServiceError(
    'CONFLICT',
    `The account has marked ${maximum} wishes, which is the maximum. Unmark some first.`,
  )
}

/**
 * Changes an account's mark, star, note or owner on a wish.
 * @returns the current values; null if all are empty.
 * @throws ServiceError NOT_FOUND for a wish neither visible nor marked; CONFLICT at the maximum.
 */
export async function markWish(
  transaction: Transaction,
  { accountId, wishId, changes, madeBy, now, isSeen }: NewMark,
): Promise<WishMark | null> {
  if (!isId(wishId)) throw notFound('Wish')
  // Merges copy marks under this lock.
  await takeLock(transaction, 'memberships')
  const known = (await readMarks(transaction, accountId, [wishId])).get(wishId.toLowerCase())
  if (!known && !(await isSeen(transaction, accountId, wishId))) throw notFound('Wish')
  const { mark, starred, note, owner } = { mark: null, starred: false, note: '', owner: '', ...known, ...changes }
  if (mark === null && !starred && note === '' && owner === '') {
    await sql`delete from wish_marks where account_id = ${accountId} and wish_id = ${wishId}`.execute(transaction)
    return null
  }
  if (!known) await refuseBeyondMaximum(transaction, accountId)
  const { rows } = await sql<MarkRow>`
    insert into wish_marks (account_id, wish_id, mark, starred, note, owner, made_by, updated_at)
    values (${accountId}, ${wishId}, ${mark}, ${starred}, ${note}, ${owner}, ${madeBy}, ${now})
    on conflict (account_id, wish_id) do update set mark = excluded.mark, starred = excluded.starred, note = excluded.note, owner = excluded.owner,
      made_by = excluded.made_by, updated_at = excluded.updated_at
    returning wish_id, mark, starred, note, owner, ${personOf(sql`made_by`)} as person_name, updated_at`.execute(
    transaction,
  )
  return toMark(rows[0]!)
}

export interface MergedWishes {
  accountId: string | null
  fromWishId: string
  toWishId: string
}

/** Copies a merged wish's marks to the merge target, unless that has its own. The originals stay for an undo. */
export async function copyMarks(
  transaction: Transaction,
  { accountId, fromWishId, toWishId }: MergedWishes,
): Promise<void> {
  const ofAccount = accountId === null ? sql`true` : sql`account_id = ${accountId}`
  await sql`
    insert into wish_marks (account_id, wish_id, mark, starred, note, owner, made_by, updated_at)
    select account_id, ${toWishId}::uuid, mark, starred, note, owner, made_by, updated_at
    from wish_marks where wish_id = ${fromWishId} and ${ofAccount}
    on conflict do nothing`.execute(transaction)
}

export interface MarkFilters {
  /** `none`: wishes without a mark. */
  mark?: Mark | 'none' | undefined
  starred?: boolean | undefined
}

/** The conditions of mark filters in a list query; empty if nothing is filtered. @param wishId as the query names it */
export function markConditions(
  accountId: string,
  { mark, starred }: MarkFilters,
  wishId: RawBuilder<unknown>,
): RawBuilder<boolean>[] {
  const isMarked = (condition: RawBuilder<unknown>) => sql<boolean>`exists (
    select from wish_marks as own where own.account_id = ${accountId}::uuid and own.wish_id = ${wishId} and ${condition})`
  const conditions: RawBuilder<boolean>[] = []
  if (mark === 'none') conditions.push(sql<boolean>`not ${isMarked(sql`own.mark is not null`)}`)
  else if (mark !== undefined) conditions.push(isMarked(sql`own.mark = ${mark}`))
  if (starred !== undefined) {
    const isStarred = isMarked(sql`own.starred`)
    conditions.push(starred ? isStarred : sql<boolean>`not ${isStarred}`)
  }
  return conditions
}

/** A query for the `id` of wishes that mark filters leave (at most `maxMarkedWishes`); null if unmarked ones match. */
export function markedWishes(accountId: string, { mark, starred }: MarkFilters): RawBuilder<{ id: string }> | null {
  const isPositive = (mark !== undefined && mark !== 'none') || starred === true
  if (!isPositive) return null
  const ofMark = mark === undefined ? sql`true` : mark === 'none' ? sql`mark is null` : sql`mark = ${mark}`
  const ofStar = starred === undefined ? sql`true` : sql`starred = ${starred}`
  return sql`select wish_id as id from wish_marks where account_id = ${accountId}::uuid and ${ofMark} and ${ofStar}`
}

/** An account's mark filter for a list of wishes; undefined if nothing is filtered. */
export function markFilterOf(accountId: string, filters: MarkFilters): MarkFilter | undefined {
  if (filters.mark === undefined && filters.starred === undefined) return undefined
  return {
    key: JSON.stringify([accountId, filters]),
    conditions: (wishId) => markConditions(accountId, filters, wishId),
    wishIds: markedWishes(accountId, filters),
  }
}
