import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import { recount, type WishChanges } from '../../requests/wish-numbers/recount.ts'
import { type MergedWishes, readMergedWishes, writeAccountMerges } from './merges.ts'
import { type ChangedPlacing, type ConcernedRequests, derivePlacings, readPlacedIn } from './placings.ts'

interface CorrectionChange {
  wishIds: readonly string[]
  /** For a new correction: the ids of its requests by hash. */
  members: ReadonlyMap<string, string>
  /** For an undone correction: the previous wish of each of its requests, by request hash. */
  released: ReadonlyMap<string, string>
}

interface Move {
  request_id: string
  wish_id: string
  /** Moves the request only from this wish; null: from any. */
  expected: string | null
}

/** Holds off deletions, since members need their request; `lockWishes` locks only requests that move. */
const untilWritten = sql`for key share of requests`

/** The moves that still apply: the request is stored and nothing else has moved it. */
async function readFitting(transaction: Transaction, moves: readonly Move[]): Promise<Move[]> {
  const { rows } = await sql<Move>`
    select request_id, wish_id, expected
    from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as move (request_id uuid, wish_id uuid, expected uuid)
    join requests on requests.id = request_id
    where expected is null or expected = coalesce(
      (select member.wish_id from wish_members as member where member.request_id = requests.id), requests.id)
    order by request_id ${untilWritten}`.execute(transaction)
  return rows
}

/** Chooses a core for wishes without one. */
const chooseCores = (transaction: Transaction, wishIds: readonly string[]) =>
  sql`
    update wish_members set is_core = true from (
      select distinct on (wish_id) request_id from wish_members as member join requests on requests.id = request_id
      where wish_id = any(${wishIds}::uuid[])
        and not exists (select from wish_members as core where core.wish_id = member.wish_id and core.is_core)
      order by wish_id, (request_id = wish_id) desc, standing desc, votes desc, request_id
    ) as chosen where wish_members.request_id = chosen.request_id`.execute(transaction)

/** Moves requests in the shared view. The wishes must be locked. @returns what to recount. */
async function moveShared(transaction: Transaction, moves: readonly Move[]): Promise<WishChanges> {
  const fitting = await readFitting(transaction, moves)
  if (fitting.length === 0) return {}
  const wishIds = [...new Set(fitting.flatMap(({ wish_id, expected }) => [wish_id, ...(expected ? [expected] : [])]))]
  const ids = fitting.map(({ request_id }) => request_id)
  const { rows } = await sql<{ wish_id: string }>`
    select distinct wish_id from wish_members where request_id = any(${ids}::uuid[])`.execute(transaction)
  await sql`
    insert into wishes (id) select distinct wish_id from jsonb_to_recordset(${JSON.stringify(fitting)}::jsonb) as move (wish_id uuid)
    order by 1 on conflict do nothing`.execute(transaction)
  await sql`
    insert into wish_members as stored (request_id, wish_id)
    select request_id, wish_id
    from jsonb_to_recordset(${JSON.stringify(fitting)}::jsonb) as move (request_id uuid, wish_id uuid) order by request_id
    on conflict (request_id) do update set wish_id = excluded.wish_id, is_core = false, similarity = null, joined_at = now()
    where stored.wish_id <> excluded.wish_id`.execute(transaction)
  const left = rows.map(({ wish_id }) => wish_id)
  await chooseCores(transaction, [...wishIds, ...left])
  // A single request was a wish with its own id.
  return { requests: ids, left: [...left, ...ids] }
}

/**
 * Updates the `account_wish_members` of requests. An account needs a row for a split, and for a merge only if the
 * shared wish does not lead to the right wish.
 * @returns the account's wishes that requests left or joined.
 */
async function moveForAccount(
  transaction: Transaction,
  accountId: string,
  changed: readonly ChangedPlacing[],
): Promise<string[]> {
  if (changed.length === 0) return []
  const placings = JSON.stringify(changed.flatMap(({ after }) => after ?? []))
  const { rows: wanted } = await sql<{ request_id: string; wish_id: string; correction_id: string }>`
    select "requestId" as request_id, placed."wishId" as wish_id, "correctionId" as correction_id
    from jsonb_to_recordset(${placings}::jsonb)
      as placed ("requestId" uuid, "wishId" uuid, "isSplit" boolean, "correctionId" uuid)
    join requests on requests.id = "requestId"
    cross join lateral (select coalesce(
      (select wish_id from wish_members where request_id = requests.id), requests.id) as id) as shared
    where "isSplit" or "wishId" <> coalesce((select into_wish_id from account_wish_merges
      where account_id = ${accountId} and wish_id = shared.id), shared.id)
    order by 1 ${untilWritten}`.execute(transaction)
  const kept = wanted.map(({ request_id }) => request_id)
  const gone = changed.map(({ requestId }) => requestId)
  const { rows: known } = await sql<{ wish_id: string }>`
    with known as materialized (
      select request_id, wish_id from account_wish_members
      where account_id = ${accountId} and request_id = any(${gone}::uuid[])
    ), removed as (
      delete from account_wish_members where account_id = ${accountId} and request_id = any(${gone}::uuid[])
        and not (request_id = any(${kept}::uuid[]))
    )
    select distinct wish_id from known`.execute(transaction)
  const left = known.map(({ wish_id }) => wish_id)
  if (wanted.length === 0) return left
  await sql`
    insert into account_wish_members as stored (account_id, request_id, wish_id, correction_id)
    select ${accountId}::uuid, request_id, wish_id, correction_id
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as wanted (request_id uuid, wish_id uuid, correction_id uuid)
    on conflict (account_id, request_id) do update set wish_id = excluded.wish_id, correction_id = excluded.correction_id
    where (stored.wish_id, stored.correction_id) <> (excluded.wish_id, excluded.correction_id)`.execute(transaction)
  return [...left, ...wanted.map(({ wish_id }) => wish_id)]
}

async function applyForAccount(
  transaction: Transaction,
  accountId: string,
  { wishIds, members, concerned }: ConcernedRequests & { wishIds: readonly string[] },
): Promise<WishChanges> {
  const placed = await readPlacedIn(transaction, accountId, [...members.keys(), ...concerned])
  const wishes = await readMergedWishes(transaction, accountId, [...wishIds, ...placed])
  await writeAccountMerges(transaction, accountId, wishes)
  const changed = await derivePlacings(transaction, accountId, wishes, { members, concerned })
  const own = new Set([...wishes.wishIds, ...(await moveForAccount(transaction, accountId, changed))])
  return { requests: changed.map(({ requestId }) => requestId), own: [...own].map((wishId) => ({ accountId, wishId })) }
}

/** The accounts that a shared change may affect: they merged one of the wishes or corrected one of the requests. */
async function readConcernedAccounts(
  transaction: Transaction,
  { wishIds }: MergedWishes,
  hashes: readonly string[],
): Promise<string[]> {
  const holds = sql`kind = 'merge' and undone_at is null and account_id is not null`
  const { rows } = await sql<{ account_id: string }>`
    select account_id from wish_corrections where from_wish_id = any(${wishIds}::uuid[]) and ${holds}
    union select account_id from wish_corrections where to_wish_id = any(${wishIds}::uuid[]) and ${holds}
    union select account_id from wish_placings where source_hash = any(${hashes}::text[]) and account_id is not null
    order by 1`.execute(transaction)
  return rows.map(({ account_id }) => account_id)
}

async function applyForAll(transaction: Transaction, change: CorrectionChange): Promise<WishChanges[]> {
  const { members, released } = change
  const placed = await readPlacedIn(transaction, null, [...members.keys(), ...released.keys()])
  const wishes = await readMergedWishes(transaction, null, [...change.wishIds, ...placed, ...released.values()])
  const changed = await derivePlacings(transaction, null, wishes, { members, concerned: [...released.keys()] })
  const moves = changed.flatMap(({ sourceHash, requestId, before, after }): Move[] => {
    const base = released.get(sourceHash)
    const wishId = after?.wishId ?? (base === undefined ? null : wishes.resultOf(base))
    return wishId === null ? [] : [{ request_id: requestId, wish_id: wishId, expected: before }]
  })
  const counted = [await moveShared(transaction, moves)]
  const hashes = changed.map(({ sourceHash }) => sourceHash)
  for (const accountId of await readConcernedAccounts(transaction, wishes, hashes)) {
    const changes = { wishIds: wishes.wishIds, members: new Map(), concerned: hashes }
    counted.push(await applyForAccount(transaction, accountId, changes))
  }
  return counted
}

/**
 * Updates memberships after a correction was stored or undone, for its account or for all. Takes time linear in the
 * members of the wishes connected by merges. The wishes must be locked (`lockWishes`); ends with the recount, so lock
 * nothing afterwards.
 * @param accountId null for the operator
 */
export async function applyCorrections(
  transaction: Transaction,
  accountId: string | null,
  change: CorrectionChange,
): Promise<void> {
  const counted =
    accountId === null
      ? await applyForAll(transaction, change)
      : [await applyForAccount(transaction, accountId, { ...change, concerned: [...change.released.keys()] })]
  await recount(transaction, ...counted)
}
