import { type RawBuilder, type Selectable, sql } from 'kysely'
import { lockAccount } from '../../../accounts/made-by-key.ts'
import { findOwned } from '../../../accounts/owned.ts'
import type { Executor, Transaction } from '../../../database/open.ts'
import type { PushState } from '../../../database/tables/notifications.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Account } from '../../../http/callers.ts'
import { notFound, ServiceError } from '../../../http/errors.ts'
import { isId } from '../../../http/ids.ts'
import { cursorsOf, isPositionId, isPositionText, type PageInput, pageIn } from '../../../http/pagination.ts'
import { viewOf } from '../../../requests/view.ts'
import { membersIn } from '../../../requests/wish-numbers/membership.ts'
import { isWishSeen } from '../../../wishes/members.ts'
import type { Issue } from '../tracker.ts'
import { findTracker, wakeTracker } from './trackers.ts'

/** Limits per account: per 24 hours, and followed issues. */
export const [maxPushesOfDay, maxPushes] = [200, 5_000]

/** How often an open issue's status is read; closed ones, which may be reopened, less often. */
export const readEveryMs = 240_000
const readEndedEveryMs = 86_400_000

type Viewer = Pick<Account, 'accountId' | 'hasOwnView'>

export type PushRow = Selectable<Tables['pushes']>

/** A push as its account sees it. */
export const describePush = (row: PushRow) => ({
  pushId: row.id,
  wishId: row.wish_id,
  trackerId: row.tracker_id,
  state: row.state,
  issue: row.issue_key === null ? null : { key: row.issue_key, url: row.issue_url },
  status: row.status,
  statusAt: row.status_at?.toISOString() ?? null,
  error: row.last_error,
  createdAt: row.created_at.toISOString(),
})

/** Whether a push belongs to a wish, including wishes that are now part of it. */
const isOfWish = (account: Viewer, wishId: string): RawBuilder<boolean> => sql<boolean>`(wish_id in (
  with recursive merged as (
    select ${wishId}::uuid as id
    union
    select from_wish_id from merged join wish_corrections on to_wish_id = merged.id
    where kind = 'merge' and undone_at is null and (account_id is null or account_id = ${account.accountId}::uuid)
  ) select id from merged)
  or wish_id in (select request_id from (${membersIn(viewOf(account), sql`${wishId}::uuid`)}) as member))`

const cursors = cursorsOf<[createdAt: string, id: string]>('pushes', isPositionText, isPositionId)

/** Lists an account's pushes, newest first. @throws ServiceError INVALID_REQUEST for a foreign cursor. */
export async function listPushes(
  executor: Executor,
  account: Viewer,
  { wishId, limit, cursor }: PageInput & { wishId?: string | undefined },
) {
  if (wishId !== undefined && !isId(wishId)) return { results: [], hasMore: false, cursor: null }
  const after = cursor === undefined ? null : cursors.decode(cursor)
  const from =
    after === null ? sql`true` : sql`(created_at, id) < (${new Date(after[0])}::timestamptz, ${after[1]}::uuid)`
  const { rows } = await sql<PushRow>`
    select * from pushes where account_id = ${account.accountId} and ${from} and ${wishId === undefined ? sql`true` : isOfWish(account, wishId)}
    order by created_at desc, id desc limit ${limit + 1}`.execute(executor)
  const { page, ...rest } = pageIn(rows, limit, ({ created_at: at, id }) => cursors.encode([at.toISOString(), id]))
  return { results: page.map(describePush), ...rest }
}

/** @throws ServiceError NOT_FOUND, also for another account's push. */
export const findPush = (executor: Executor, accountId: string, pushId: string): Promise<PushRow> =>
  findOwned(executor, 'pushes', { accountId, id: pushId })

/** Enforces the maximums. Safe because the account is locked. */
async function refuseBeyondMaximum(transaction: Transaction, accountId: string, now: Date): Promise<void> {
  const yesterday = new Date(now.getTime() - 86_400_000)
  const { rows } = await sql<{ of_day: number; followed: number }>`
    select count(*) filter (where created_at > ${yesterday}::timestamptz)::integer as of_day,
      count(*) filter (where due_at is not null)::integer as followed
    from pushes where account_id = ${accountId}`.execute(transaction)
  const { of_day: ofDay, followed } = rows[0]!
  const refuse = (why: string) => {
    throw new ServiceError('CONFLICT', why)
  }
  if (ofDay >= maxPushesOfDay) refuse(`The account has pushed ${maxPushesOfDay} wishes in 24 hours, the maximum.`)
  if (followed >= maxPushes) refuse(`The account follows ${maxPushes} issues, the maximum. Undo some pushes first.`)
}

export interface NewPush {
  wishId: string
  trackerId: string
  /** `key <id>` or `session <id>`. */
  madeBy: string
  now: Date
}

/** States after which a push restarts with a new issue, and those after which it retries the same. */
const [startsAnew, triesAgain]: readonly (readonly PushState[])[] = [
  ['undone', 'gone'],
  ['failed', 'nothing_left'],
]

/** Pushes a wish once; returns an existing push, even of a merged wish. @throws ServiceError NOT_FOUND, CONFLICT */
export async function pushWish(
  transaction: Transaction,
  account: Viewer,
  { wishId, trackerId, madeBy, now }: NewPush,
): Promise<PushRow> {
  const { accountId } = account
  if (!(await lockAccount(transaction, accountId))) throw notFound('Account')
  const tracker = await findTracker(transaction, accountId, trackerId)
  if (!(await isWishSeen(transaction, accountId, wishId))) throw notFound('Wish')
  const { rows } = await sql<PushRow>`
    select * from pushes where tracker_id = ${tracker.id} and ${isOfWish(account, wishId)}
    order by state = any(${[...startsAnew!]}::text[]), created_at for update`.execute(transaction)
  const [known] = rows
  if (known?.state === 'undoing') throw new ServiceError('CONFLICT', 'It is being undone: try again in a minute.')
  if (known && !startsAnew!.includes(known.state) && !triesAgain!.includes(known.state)) return known
  if (tracker.expires_at !== null && tracker.expires_at <= now)
    throw new ServiceError('CONFLICT', 'The key that made the tracker has expired: change the tracker first.')
  await refuseBeyondMaximum(transaction, accountId, now)
  const pushed =
    known && triesAgain!.includes(known.state)
      ? await transaction
          .updateTable('pushes')
          .set({ state: 'waiting', due_at: now, attempts: 0, last_error: null, made_by: madeBy })
          .where('id', '=', known.id)
          .returningAll()
          .executeTakeFirstOrThrow()
      : await insertPush(transaction, accountId, { wishId, trackerId: tracker.id, madeBy, now })
  await wakeTracker(transaction, tracker.id)
  return pushed
}

/** A closed issue keeps its push id, so a new push gets another. */
async function insertPush(transaction: Transaction, accountId: string, push: NewPush): Promise<PushRow> {
  const { wishId, trackerId, madeBy, now } = push
  await transaction.deleteFrom('pushes').where('tracker_id', '=', trackerId).where('wish_id', '=', wishId).execute()
  return transaction
    .insertInto('pushes')
    .values({
      ...{ account_id: accountId, tracker_id: trackerId, wish_id: wishId, made_by: madeBy },
      ...{ state: 'waiting', created_at: now, due_at: now },
      ...{ tried_at: null, issue_id: null, issue_key: null, issue_url: null, status: null, status_at: null },
      last_error: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Takes a push back, at once if no issue can exist, else in the background. If this and `beginTry` race, the second one
 * sees what the first did.
 */
export async function undoPush(
  transaction: Transaction,
  { accountId, pushId, now }: { accountId: string; pushId: string; now: Date },
): Promise<PushRow> {
  const { tracker_id: trackerId, id } = await findPush(transaction, accountId, pushId)
  await sql`
    update pushes set last_error = null,
      state = case when state = 'gone' or (issue_id is null and tried_at is null) then 'undone' else 'undoing' end,
      due_at = case when state = 'gone' or (issue_id is null and tried_at is null) then null
        when issue_id is null then greatest(due_at, ${now}::timestamptz) else ${now}::timestamptz end
    where id = ${id} and state in ('waiting', 'sent', 'failed', 'nothing_left', 'gone')`.execute(transaction)
  await wakeTracker(transaction, trackerId)
  return findPush(transaction, accountId, pushId)
}

/** Before the creating call: an issue may exist from now on. @returns false if the push no longer waits. */
export async function beginTry(executor: Executor, pushId: string, now: Date, settleMs: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update pushes set attempts = attempts + 1, tried_at = coalesce(tried_at, ${now}::timestamptz),
      due_at = ${new Date(now.getTime() + settleMs)}::timestamptz
    where id = ${pushId} and state = 'waiting'`.execute(executor)
  return numAffectedRows === 1n
}

const isEnded = (status: RawBuilder<unknown>) =>
  sql`coalesce(${status} not in ('open', 'planned', 'in_progress'), false)`

const nextRead = (status: RawBuilder<unknown>, now: Date) => sql<Date>`
  case when ${isEnded(status)} then ${new Date(now.getTime() + readEndedEveryMs)}::timestamptz
    else ${new Date(now.getTime() + readEveryMs)}::timestamptz end`

/** Stores the issue of a push; if it was taken back meanwhile, the issue is closed next. */
export async function noteIssue(
  executor: Executor,
  pushId: string,
  { id, key, url, status }: Issue,
  now: Date,
): Promise<void> {
  await sql`
    update pushes set issue_id = ${id}, issue_key = ${key}, issue_url = ${url}, status = ${status},
      status_at = case when ${status}::text is null then null else ${now}::timestamptz end,
      last_error = null, state = case when state in ('waiting', 'failed') then 'sent' else state end,
      due_at = case when state in ('waiting', 'failed') then ${nextRead(sql`${status}::text`, now)} else ${now}::timestamptz end
    where id = ${pushId}`.execute(executor)
}

/** Stops reading statuses of a tracker without any. */
export async function endFollowing(executor: Executor, trackerId: string, now: Date): Promise<void> {
  await executor
    .updateTable('pushes')
    .set({ due_at: null })
    .where('tracker_id', '=', trackerId)
    .where('state', '=', 'sent')
    .where('due_at', '<=', now)
    .execute()
}

/** Stores the statuses read: without a status an issue is unchanged; not found, it was deleted. */
export async function noteStatuses(
  executor: Executor,
  read: readonly { pushId: string; isThere: boolean; status: string | null }[],
  now: Date,
): Promise<void> {
  await sql`
    update pushes set status = coalesce(fresh.status, pushes.status), status_at = ${now}::timestamptz,
      state = case when fresh.is_there then state else 'gone' end,
      due_at = case when fresh.is_there then ${nextRead(sql`coalesce(fresh.status, pushes.status)`, now)} end
    from jsonb_to_recordset(${JSON.stringify(read.map(({ pushId: id, isThere, status }) => ({ id, is_there: isThere, status })))}::jsonb)
      as fresh (id uuid, is_there boolean, status text)
    where pushes.id = fresh.id and state = 'sent'`.execute(executor)
}

/** Ends or postpones a push that is still in a state. @param dueAt null if it ended */
export async function notePush(
  executor: Executor,
  {
    pushId,
    from,
    to,
    dueAt,
    error,
  }: { pushId: string; from: PushState; to: PushState; dueAt: Date | null; error: string | null },
): Promise<void> {
  await executor
    .updateTable('pushes')
    .set({ state: to, due_at: dueAt, last_error: error })
    .where('id', '=', pushId)
    .where('state', '=', from)
    .execute()
}
