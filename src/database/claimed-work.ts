import { type RawBuilder, sql } from 'kysely'
import type { Executor, Transaction } from './open.ts'
import type { Tables } from './tables.ts'

// Work that takes longer than a transaction may: a process claims its rows for a time. When the process dies, others claim them after that. What ends in one
// transaction needs no claim: the locks of its rows are enough.

/** The tables whose rows are claimed, with their keys. Each has the columns `claimed_by` and `claimed_until`. */
const keys = {
  channels: 'id',
  news_reports: 'id',
  request_refreshes: 'request_id',
  search_consumers: 'name',
  trackers: 'id',
  wish_queue: 'request_id',
} as const satisfies { [Table in keyof Tables]?: keyof Tables[Table] }

type ClaimedTable = keyof typeof keys

/** A row that this process has claimed. */
export interface ClaimedRow {
  /** The key of the row. */
  id: string
  /** Tells one claim of a row from another. */
  token: string
}

/** The longest time of a claim. */
const maxClaimMs = 3600_000

/**
 * Whether no process has a row now. By the clock of the database: of processes whose clocks differ, one would take over claims that hold. One that
 * ends later than any that begins now was made before that clock was set back.
 */
export const isUnclaimed = sql<boolean>`(claimed_until is null
  or claimed_until not between clock_timestamp() and clock_timestamp() + ${sql.lit(maxClaimMs)} * interval '1 ms')`

/** The assignments that end a claim, for an update that changes the row, too. */
export const noClaim = sql`claimed_by = null, claimed_until = null`

const endOf = (claimMs: number | RawBuilder<number>) =>
  sql`clock_timestamp() + make_interval(secs => least((${claimMs})::float8, ${sql.lit(maxClaimMs)}) / 1000)`

export interface ClaimOptions<Columns> {
  /** What is due, of rows that nobody has claimed. */
  where: RawBuilder<unknown>
  order: RawBuilder<unknown>
  max: number
  claimMs: number | RawBuilder<number>
  /** What is returned of each row, beside its key and the token. */
  columns?: RawBuilder<Columns>
}

/** Claims rows that are due; two processes never have the same. @returns them in no order. */
export async function claimRows<Columns = unknown>(
  executor: Executor,
  table: ClaimedTable,
  { where, order, max, claimMs, columns }: ClaimOptions<Columns>,
): Promise<(ClaimedRow & Columns)[]> {
  const [claimed, key] = [sql.table(table), sql.ref(keys[table])]
  const { rows } = await sql<ClaimedRow & Columns>`
    with next as materialized (
      select ${key} as next_key from ${claimed} where (${where}) and ${isUnclaimed}
      order by ${order} limit ${max} for update skip locked
    )
    update ${claimed} set claimed_by = gen_random_uuid(), claimed_until = ${endOf(claimMs)}
    from next where ${key} = next_key
    returning ${key} as id, claimed_by as token${columns === undefined ? sql`` : sql`, ${columns}`}`.execute(executor)
  return rows
}

const areClaims = (table: ClaimedTable, claims: readonly ClaimedRow[]) => sql`
  ${sql.ref(keys[table])} = any(${claims.map(({ id }) => id)}) and claimed_by = any(${claims.map(({ token }) => token)})`

/** Begins the time of a claim anew. @returns false when another process has the row, or the condition does not hold. */
export async function renewClaim(
  executor: Executor,
  table: ClaimedTable,
  claim: ClaimedRow,
  { claimMs, where }: Pick<ClaimOptions<never>, 'claimMs' | 'where'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set claimed_until = ${endOf(claimMs)}
    where ${areClaims(table, [claim])} and (${where})`.execute(executor)
  return numAffectedRows === 1n
}

/** Locks the rows whose claims nobody has taken over, in the order of their keys. @returns the tokens of these claims. */
export async function lockClaims(
  transaction: Transaction,
  table: ClaimedTable,
  claims: readonly ClaimedRow[],
): Promise<Set<string>> {
  const { rows } = await sql<Pick<ClaimedRow, 'token'>>`
    select claimed_by as token from ${sql.table(table)} where ${areClaims(table, claims)}
    order by ${sql.ref(keys[table])} for update`.execute(transaction)
  return new Set(rows.map(({ token }) => token))
}

/** Ends claims before their time, so that any process may claim the rows at once. */
export async function releaseClaims(
  executor: Executor,
  table: ClaimedTable,
  claims: readonly ClaimedRow[],
): Promise<void> {
  await sql`update ${sql.table(table)} set ${noClaim} where ${areClaims(table, claims)}`.execute(executor)
}
