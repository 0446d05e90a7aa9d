import { sql } from 'kysely'
import { correctionRefusal, countCorrection } from '../../accounts/accounts.ts'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { takeLock } from '../../database/advisory-locks.ts'
import { type PlatformName, standings } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { insertSearchChanges } from '../store/changes.ts'
import { lockRequestsOf } from '../store/request-locks.ts'
import { correctionHash, recomputeStandings } from '../store/standings.ts'
import { recount } from '../wish-numbers/recount.ts'

export type CorrectionDependencies = Omit<RouteDependencies, 'idempotent'>

export interface Corrector {
  /** Null for the operator, whose corrections hold for all accounts. */
  accountId: string | null
}

export interface NewCorrection extends Corrector {
  requestId: string
  isRequest: boolean
  /** `key <id>`, `session <id>` or `admin`. */
  madeBy: string
  now: Date
}

interface CorrectedRequest {
  id: string
  platform: PlatformName
  sourceHash: string
}

/** Below all ids of requests. */
export const firstId = '00000000-0000-0000-0000-000000000000'

const ownedBy = (accountId: string | null) => sql`account_id is not distinct from ${accountId}::uuid`

/** SQL: whether the account sees the request at all. Unlisted ones need a named source; null (operator) sees all. */
export const isVisibleTo = (accountId: string | null) =>
  accountId === null
    ? sql<boolean>`true`
    : sql<boolean>`(requests.standing >= ${sql.lit(standings.unlikely)} or exists (
        select from account_requests where account_requests.request_id = requests.id and account_id = ${accountId}))`

/** Locks a request and so its standings. @throws ServiceError NOT_FOUND if the account cannot see it. */
async function lockRequest(
  transaction: Transaction,
  accountId: string | null,
  requestId: string,
): Promise<CorrectedRequest> {
  if (!isId(requestId)) throw notFound('Request')
  const { rows } = await sql<{ id: string; platform: PlatformName; source_id: string }>`
    select id, platform, source_id from requests where id = ${requestId} and ${isVisibleTo(accountId)}
    for no key update of requests`.execute(transaction)
  const [request] = rows
  if (!request) throw notFound('Request')
  const { id, platform, source_id } = request
  return { id, platform, sourceHash: correctionHash(platform, source_id) }
}

/** Inserts, counts and limits a correction in one statement. @throws ServiceError CONFLICT, NOT_FOUND */
async function insertCorrection(
  transaction: Transaction,
  { id, platform, sourceHash }: CorrectedRequest,
  { accountId, isRequest, madeBy, now }: NewCorrection,
): Promise<void> {
  const { rows } = await sql`
    with owner as (${countCorrection(accountId)})
    insert into request_corrections (account_id, platform, source_hash, request_id, is_request, made_by, created_at)
    select id, ${platform}, ${sourceHash}, ${id}::uuid, ${isRequest}, ${madeBy}, ${now} from owner returning 1`.execute(
    transaction,
  )
  if (rows.length === 0) throw await correctionRefusal(transaction, accountId)
}

/** Corrects a request for one account or for all; idempotent. @throws ServiceError NOT_FOUND, CONFLICT */
export async function correctRequest(transaction: Transaction, correction: NewCorrection): Promise<void> {
  const { accountId, requestId, isRequest, madeBy, now } = correction
  const request = await lockRequest(transaction, accountId, requestId)
  const { rows: known } = await sql<{ is_request: boolean }>`
    select is_request from request_corrections
    where source_hash = ${request.sourceHash} and ${ownedBy(accountId)}`.execute(transaction)
  if (known[0]?.is_request === isRequest) return
  if (known.length === 0) await insertCorrection(transaction, request, correction)
  else {
    await sql`
      update request_corrections set is_request = ${isRequest}, made_by = ${madeBy}, created_at = ${now}
      where source_hash = ${request.sourceHash} and ${ownedBy(accountId)}`.execute(transaction)
  }
  await recomputeStandings(transaction, [request.id])
  await recount(transaction, { requests: [request.id] })
}

/** Deletes a correction by its hash. Its request must be locked. @returns false if there is none. */
async function removeCorrection(
  transaction: Transaction,
  accountId: string | null,
  sourceHash: string,
): Promise<boolean> {
  const { rows } = await sql<{ requestId: string | null }>`
    with removed as (
      delete from request_corrections where source_hash = ${sourceHash} and ${ownedBy(accountId)}
      returning account_id, request_id
    ), counted as (
      update accounts set corrections = corrections - 1 from removed where accounts.id = removed.account_id
    )
    select request_id as "requestId" from removed`.execute(transaction)
  const ids = rows.flatMap(({ requestId }) => requestId ?? [])
  await recomputeStandings(transaction, ids)
  await recount(transaction, { requests: ids })
  return rows.length > 0
}

/** Undoes a correction, even if its request is no longer stored. @returns false if there is none. */
export async function undoCorrection(
  transaction: Transaction,
  { accountId, correctionId }: Corrector & { correctionId: string },
): Promise<boolean> {
  // Requests are locked before corrections, as everywhere.
  await lockRequestsOf(
    transaction,
    sql`select request_id from request_corrections where source_hash = ${correctionId} and ${ownedBy(accountId)}`,
  )
  return removeCorrection(transaction, accountId, correctionId)
}

/** Deletes a deleted account's corrections, draws and own standings. The operator's corrections stay. */
export async function deleteCorrectionsOf(transaction: Transaction, accountId: string): Promise<void> {
  await takeLock(transaction, 'memberships')
  // In the order of all writers: corrections, account, standings.
  await sql`delete from request_corrections where account_id = ${accountId}`.execute(transaction)
  await sql`select from accounts where id = ${accountId} for no key update`.execute(transaction)
  await sql`delete from label_draws where account_id = ${accountId}`.execute(transaction)
  await sql`
    with own as materialized (
      select request_id from account_requests where account_id = ${accountId} order by request_id for update
    ), gone as (
      delete from account_requests using own
      where account_id = ${accountId} and account_requests.request_id = own.request_id
      returning account_requests.request_id
    )
    ${insertSearchChanges(sql`select request_id from gone`)}`.execute(transaction)
  await sql`
    update accounts set corrections = 0, has_own_view = false, is_strict = false,
      -- A page that is being stored may have read what is deleted here: what it shows the account is deleted later.
      reclassified_to = ${firstId}::uuid
    where id = ${accountId}`.execute(transaction)
}
