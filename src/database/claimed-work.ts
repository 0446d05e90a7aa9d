import { type RawBuilder, sql } from 'kysely'
import type { Executor, Transaction } from './open.ts'
import type { Tables } from './tables.ts'

// For work longer than a transaction may take: others claim the rows if the process dies.

/** Tables with claimed rows, and their keys. Each has the columns `claimed_by` and `claimed_until`. */
const keys = {
  channels: 'id',
  news_reports: 'id',
  request_refreshes: 'request_id',
  search_consumers: 'name',
  trackers: 'id',
  wish_queue: 'request_id',
} as const satisfies { [Table in keyof Tables]?: keyof Tables[Table] }

type ClaimedTable = keyof typeof keys

export interface ClaimedRow {
  id: string
  /** Distinguishes claims of one row. */
  token: string
}

/** Maximum duration of a claim. */
const maxClaimMs = 3600_000

/** By the database clock, because processes' clocks differ. A claim longer than allowed predates a clock change. */
export const isUnclaimed = sql<boolean>`(claimed_until is null
  or claimed_until not between clock_timestamp() and clock_timestamp() + ${sql.lit(maxClaimMs)} * interval '1 ms')`

/** Assignments that end a claim, for updates that also change the row. */
export const noClaim = sql`claimed_by = null, claimed_until = null`

const endOf = (claimMs: number | RawBuilder<number>) =>
  sql`clock_timestamp() + make_interval(secs => least((${claimMs})::float8, ${sql.lit(maxClaimMs)}) / 1000)`

export interface ClaimOptions<Columns> {
  /** Condition for due rows among the unclaimed. */
  where: RawBuilder<unknown>
  order: RawBuilder<unknown>
  max: number
  claimMs: number | RawBuilder<number>
  /** Returned per row, besides key and token. */
  columns?: RawBuilder<Columns>
}

/** Claims due rows, never the same for two processes. @returns them in no order */
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

/** Restarts a claim's time. @returns false if another process has the row or the condition does not hold */
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

/** Locks rows whose claims still hold, in key order. @returns the tokens of these claims */
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

/** Ends claims early, so that any process may claim the rows at once. */
export async function releaseClaims(
  executor: Executor,
  table: ClaimedTable,
  claims: readonly ClaimedRow[],
): Promise<void> {
  await sql`update ${sql.table(table)} set ${noClaim} where ${areClaims(table, claims)}`.execute(executor)
}
