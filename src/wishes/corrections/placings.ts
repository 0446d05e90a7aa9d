import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import type { MergedWishes } from './merges.ts'

/** Where corrections put a request. */
export interface Placing {
  sourceHash: string
  requestId: string
  wishId: string
  /** Whether by a split, which names the request itself; a merge names its wish. */
  isSplit: boolean
  correctionId: string
}

/** A placing before and after; null if there was none, or no correction applies anymore. */
export interface ChangedPlacing {
  sourceHash: string
  requestId: string
  before: string | null
  after: Placing | null
}

interface Fact {
  source_hash: string
  kind: 'merge' | 'split'
  correction_id: string
  from_wish_id: string
  to_wish_id: string
}

const ownedBy = (accountId: string | null) => sql`account_id is not distinct from ${accountId}::uuid`

/** The current corrections of each request, in order. */
async function readFacts(transaction: Transaction, accountId: string | null, hashes: readonly string[]) {
  const { rows } = await sql<Fact>`
    select source_hash, kind, correction_id, move.from_wish_id, move.to_wish_id
    from wish_moves as move join wish_corrections as correction on correction.id = move.correction_id
    where source_hash = any(${hashes}::text[]) and ${ownedBy(accountId)} and undone_at is null
    order by sequence`.execute(transaction)
  return Map.groupBy(rows, (fact) => fact.source_hash)
}

/** The wish of a request by its corrections: that of its last split, else before its first merge, then merged. */
function placingOf(facts: readonly Fact[], { resultOf }: MergedWishes): Omit<Placing, 'sourceHash' | 'requestId'> {
  const split = facts.findLast(({ kind }) => kind === 'split')
  const wishId = resultOf(split?.to_wish_id ?? facts[0]!.from_wish_id)
  return { wishId, isSplit: split !== undefined, correctionId: (split ?? facts.at(-1)!).correction_id }
}

/** The wishes where corrections put requests, and where those started: an undo may have parted them. */
export async function readPlacedIn(
  transaction: Transaction,
  accountId: string | null,
  hashes: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ wish_id: string }>`
    select wish_id from wish_placings where ${ownedBy(accountId)} and source_hash = any(${hashes}::text[])
    union
    select case kind when 'split' then move.to_wish_id else move.from_wish_id end
    from wish_moves as move join wish_corrections as correction on correction.id = move.correction_id
    where source_hash = any(${hashes}::text[]) and ${ownedBy(accountId)} and undone_at is null`.execute(transaction)
  return rows.map(({ wish_id }) => wish_id)
}

/** The placings that a change affects: in all wishes connected by merges, and of the given requests. */
async function readConcerned(
  transaction: Transaction,
  accountId: string | null,
  wishIds: readonly string[],
  hashes: readonly string[],
) {
  const { rows } = await sql<{ source_hash: string; request_id: string; wish_id: string }>`
    select source_hash, request_id, wish_id from wish_placings
    where ${ownedBy(accountId)} and wish_id = any(${wishIds}::uuid[])
    union
    select source_hash, request_id, wish_id from wish_placings
    where ${ownedBy(accountId)} and source_hash = any(${hashes}::text[])`.execute(transaction)
  return new Map(rows.map((row) => [row.source_hash, row]))
}

async function writePlacings(
  transaction: Transaction,
  accountId: string | null,
  changed: readonly ChangedPlacing[],
): Promise<void> {
  const gone = changed.filter(({ after }) => after === null).map(({ sourceHash }) => sourceHash)
  if (gone.length > 0) {
    await sql`delete from wish_placings where ${ownedBy(accountId)} and source_hash = any(${gone}::text[])`.execute(
      transaction,
    )
  }
  const placings = changed.flatMap(({ after }) => after ?? [])
  if (placings.length === 0) return
  await sql`
    insert into wish_placings as stored (account_id, source_hash, request_id, wish_id, is_split, correction_id)
    select ${accountId}::uuid, "sourceHash", "requestId", "wishId", "isSplit", "correctionId"
    from jsonb_to_recordset(${JSON.stringify(placings)}::jsonb)
      as fresh ("sourceHash" text, "requestId" uuid, "wishId" uuid, "isSplit" boolean, "correctionId" uuid)
    on conflict (source_hash, account_id) do update set request_id = excluded.request_id, wish_id = excluded.wish_id,
      is_split = excluded.is_split, correction_id = excluded.correction_id
    where (stored.request_id, stored.wish_id, stored.is_split, stored.correction_id)
      <> (excluded.request_id, excluded.wish_id, excluded.is_split, excluded.correction_id)`.execute(transaction)
}

/** The requests that a change affects. */
export interface ConcernedRequests {
  /** For a new correction: ids by hash. */
  members: ReadonlyMap<string, string>
  concerned: readonly string[]
}

/** Derives and stores the placings that a change of corrections affects. */
export async function derivePlacings(
  transaction: Transaction,
  accountId: string | null,
  wishes: MergedWishes,
  { members, concerned }: ConcernedRequests,
): Promise<ChangedPlacing[]> {
  const named = [...members.keys(), ...concerned]
  const before = await readConcerned(transaction, accountId, wishes.wishIds, named)
  const hashes = [...new Set([...before.keys(), ...members.keys()])]
  const facts = await readFacts(transaction, accountId, hashes)
  const changed = hashes.map((sourceHash): ChangedPlacing => {
    const known = before.get(sourceHash)
    const requestId = members.get(sourceHash) ?? known!.request_id
    const holding = facts.get(sourceHash)
    // For a request that the correction names, its current wish is the right starting point.
    const wasIn = members.has(sourceHash) ? null : (known?.wish_id ?? null)
    const after = holding ? { sourceHash, requestId, ...placingOf(holding, wishes) } : null
    return { sourceHash, requestId, before: wasIn, after }
  })
  await writePlacings(transaction, accountId, changed)
  return changed
}
