import { sql } from 'kysely'
import { lastWeeks, type Period } from '../accounts/period.ts'
import type { Executor } from '../database/open.ts'
import { cursorsOf, isPositionNumber, type PageInput, pageIn } from '../http/pagination.ts'

/** Used whole credits, pool and PAYG together. */
export interface Spent {
  held: number
  settled: number
}

interface Spending {
  total: Spent
  /** Calls of sessions opened by a link. With all keys, this is the total. */
  withoutKey: Spent
  /** By key of the call or of the run's watch, most used first. */
  keys: (Spent & { keyId: string; name: string })[]
  /** By named person and the key their sign-in depends on, if any, for which it counts too. */
  persons: (Spent & { personName: string; keyId: string | null })[]
  /** By watch, unnamed if deleted. A run counts for its watch and its key. */
  watches: (Spent & { watchId: string; name: string | null })[]
}

export interface JobCost {
  credits: Spent
  /** All null for a sign-in by an unnamed link, and for a job without a reservation. */
  startedBy: {
    keyId: string | null
    keyName: string | null
    personName: string | null
    watchId: string | null
    watchName: string | null
  }
}

/** A job row's cost columns, joined with reservation, key and watch; all null without one. */
export interface JobCostRow {
  reservation_state: string | null
  pool_part: number | null
  payg_part: number | null
  settled: number | null
  key_id: string | null
  key_name: string | null
  person_name: string | null
  watch_id: string | null
  watch_name: string | null
}

/** The cost in such a row. */
export const jobCostOf = (row: JobCostRow): JobCost => ({
  credits: {
    held: row.reservation_state === 'open' ? (row.pool_part ?? 0) + (row.payg_part ?? 0) : 0,
    settled: row.settled ?? 0,
  },
  startedBy: {
    keyId: row.key_id,
    keyName: row.key_name,
    personName: row.person_name,
    watchId: row.watch_id,
    watchName: row.watch_name,
  },
})

const heldNow = sql`coalesce(sum(pool_part + payg_part) filter (where state = 'open'), 0)::integer`

/** People never use more keys or watches in a period. */
export const maxSpenders = 200

/** By key and watch: all reserved in the period, like months are booked. One read, so the rows match the total. */
export async function readSpending(
  executor: Executor,
  { accountId, from, until }: Period & { accountId: string },
): Promise<Spending> {
  const { rows } = await sql<Reserved>`
    select spent.*, api_keys.name as "keyName", watches.name as "watchName"
    from (
      select key_id as "keyId", person_name as "personName", watch_id as "watchId", ${heldNow} as held,
        sum(settled)::integer as settled
      from credit_reservations
      where account_id = ${accountId} and created_at >= ${from}::timestamptz and created_at < ${until}::timestamptz
      group by key_id, person_name, watch_id
    ) as spent left join api_keys on api_keys.id = spent."keyId" left join watches on watches.id = spent."watchId"
    where held + settled > 0`.execute(executor)
  return {
    total: sumOf(rows),
    withoutKey: sumOf(rows.filter(({ keyId }) => keyId === null)),
    keys: mostOf(rows, ({ keyId }) => keyId).map(([keyId, of]) => ({ keyId, name: of[0]!.keyName!, ...sumOf(of) })),
    persons: mostOf(rows, ({ personName, keyId }) => personName && `${personName} ${keyId}`).map(([, of]) => ({
      personName: of[0]!.personName!,
      keyId: of[0]!.keyId,
      ...sumOf(of),
    })),
    watches: mostOf(rows, ({ watchId }) => watchId).map(([watchId, of]) => ({
      watchId,
      name: of[0]!.watchName,
      ...sumOf(of),
    })),
  }
}

/** An account's use in recent ISO weeks, oldest first, as totaled by `readSpending`. */
export async function readWeeklySpending(
  executor: Executor,
  { accountId, weeks, now }: { accountId: string; weeks: number; now: Date },
): Promise<(Period & Spent & { week: string })[]> {
  const periods = lastWeeks(weeks, now)
  const { rows } = await sql<Spent & { week: string }>`
    select to_char(created_at at time zone 'UTC', 'IYYY-"W"IW') as week, ${heldNow} as held, sum(settled)::integer as settled
    from credit_reservations
    where account_id = ${accountId} and created_at >= ${periods[0]!.from}::timestamptz and created_at < ${periods.at(-1)!.until}::timestamptz
    group by 1`.execute(executor)
  const spent = new Map(rows.map(({ week, ...of }) => [week, of]))
  return periods.map((period) => ({ ...period, ...(spent.get(period.week) ?? { held: 0, settled: 0 }) }))
}

/** Spent by a key or person, through watches or directly. */
type Reserved = Spent & JobCost['startedBy']

const sumOf = (rows: readonly Spent[]): Spent => ({
  held: rows.reduce((sum, { held }) => sum + held, 0),
  settled: rows.reduce((sum, { settled }) => sum + settled, 0),
})

const creditsOf = (rows: readonly Spent[]) => rows.reduce((sum, { held, settled }) => sum + held + settled, 0)

/** Totals by an id, highest first; rows without one are dropped. */
const mostOf = (rows: readonly Reserved[], idOf: (row: Reserved) => string | null): [string, Reserved[]][] =>
  [...Map.groupBy(rows, idOf)]
    .filter((group): group is [string, Reserved[]] => group[0] !== null)
    .toSorted(([id, own], [otherId, other]) => creditsOf(other) - creditsOf(own) || (id < otherId ? -1 : 1))
    .slice(0, maxSpenders)

const cursors = cursorsOf<[entryId: number]>('entries', isPositionNumber)

/** Latest first, in commit order: each entry once. @throws ServiceError INVALID_REQUEST for another list's cursor */
export async function readStatement(
  executor: Executor,
  { accountId, limit, cursor }: PageInput & { accountId: string },
) {
  let query = executor
    .selectFrom('credit_entries as entry')
    .leftJoin('api_keys as key', 'key.id', 'entry.key_id')
    .leftJoin('watches as watch', 'watch.id', 'entry.watch_id')
    .leftJoin('credit_reservations as reserved', 'reserved.id', 'entry.reservation_id')
    .leftJoin('scrape_jobs as job', 'job.id', 'reserved.job_id')
    .selectAll('entry')
    .select(['key.name as key_name', 'watch.name as watch_name', 'reserved.person_name'])
    .select((eb) => eb.fn.coalesce('job.topic', 'reserved.topic').as('topic'))
    .where('entry.account_id', '=', accountId)
  if (cursor !== undefined) query = query.where('entry.id', '<', cursors.decode(cursor)[0])
  const rows = await query
    .orderBy('entry.id', 'desc')
    .limit(limit + 1)
    .execute()
  const { page, ...rest } = pageIn(rows, limit, ({ id }) => cursors.encode([id]))
  return {
    results: page.map((row) => ({
      entryId: row.id,
      createdAt: row.created_at.toISOString(),
      month: row.month,
      kind: row.kind,
      operation: row.operation,
      cause: row.cause,
      topic: row.topic,
      pack: row.pack,
      keyId: row.key_id,
      keyName: row.key_name,
      personName: row.person_name,
      watchId: row.watch_id,
      watchName: row.watch_name,
      changes: {
        poolHeld: row.pool_held_change,
        poolSettled: row.pool_settled_change,
        paygHeld: row.payg_held_change,
        paygSettled: row.payg_settled_change,
        paygGranted: row.payg_granted_change,
      },
    })),
    ...rest,
  }
}
