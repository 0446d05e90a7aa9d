import { sql } from 'kysely'
import type { Period } from '../accounts/period.ts'
import type { Executor } from '../database/open.ts'

/** What was used: whole credits of the pool and PAYG together. */
export interface Spent {
  held: number
  settled: number
}

export interface Spending {
  total: Spent
  /** What no key paid: calls of sessions that a link opened. With all keys it is the total. */
  withoutKey: Spent
  /** By the key of each call, or of the watch whose run it is; the most used first. */
  keys: (Spent & { keyId: string; name: string })[]
  /** By watch; the name is null for a deleted one. A run counts for its watch and for its key. */
  watches: (Spent & { watchId: string; name: string | null })[]
}

/** What a job costs its account, and who started it. */
export interface JobCost {
  credits: Spent
  /** All are null for a session that a link opened, and for a job that reserved nothing. */
  startedBy: { keyId: string | null; keyName: string | null; watchId: string | null; watchName: string | null }
}

export const noCost: JobCost = {
  credits: { held: 0, settled: 0 },
  startedBy: { keyId: null, keyName: null, watchId: null, watchName: null },
}

/** The costs of jobs by their id; a job that reserved nothing has none. */
export async function readJobCosts(executor: Executor, jobIds: readonly string[]): Promise<Map<string, JobCost>> {
  const { rows } = await sql<Spent & JobCost['startedBy'] & { jobId: string }>`
    select job_id as "jobId", case when reserved.state = 'open' then pool_part + payg_part else 0 end as held, settled,
      api_keys.id as "keyId", api_keys.name as "keyName", reserved.watch_id as "watchId", watches.name as "watchName"
    from credit_reservations as reserved left join api_keys on api_keys.id = reserved.key_id left join watches on watches.id = reserved.watch_id
    where job_id = any(${[...jobIds]}::uuid[])`.execute(executor)
  return new Map(
    rows.map(({ jobId, held, settled, ...startedBy }) => [jobId, { credits: { held, settled }, startedBy }]),
  )
}

/** More keys or watches than these are not used by people in one period. */
export const maxSpenders = 200

/**
 * The use of an account in a period, by key and by watch: what was reserved in it, whenever it was or will be settled. That is how a month is
 * booked, too. Everything is added up from one reading of the reservations, so that the rows are the total.
 */
export async function readSpending(
  executor: Executor,
  { accountId, from, until }: Period & { accountId: string },
): Promise<Spending> {
  const { rows } = await sql<Reserved>`
    select spent.*, api_keys.name as "keyName", watches.name as "watchName"
    from (
      select key_id as "keyId", watch_id as "watchId", coalesce(sum(pool_part + payg_part) filter (where state = 'open'), 0)::integer as held,
        sum(settled)::integer as settled
      from credit_reservations
      where account_id = ${accountId} and created_at >= ${from}::timestamptz and created_at < ${until}::timestamptz
      group by key_id, watch_id
    ) as spent left join api_keys on api_keys.id = spent."keyId" left join watches on watches.id = spent."watchId"
    where held + settled > 0`.execute(executor)
  return {
    total: sumOf(rows),
    withoutKey: sumOf(rows.filter(({ keyId }) => keyId === null)),
    keys: mostOf(rows, ({ keyId }) => keyId).map(([keyId, of]) => ({ keyId, name: of[0]!.keyName!, ...sumOf(of) })),
    watches: mostOf(rows, ({ watchId }) => watchId).map(([watchId, of]) => ({
      watchId,
      name: of[0]!.watchName,
      ...sumOf(of),
    })),
  }
}

/** What a key spent by the runs of a watch, or by itself. */
type Reserved = Spent & JobCost['startedBy']

const sumOf = (rows: readonly Spent[]): Spent => ({
  held: rows.reduce((sum, { held }) => sum + held, 0),
  settled: rows.reduce((sum, { settled }) => sum + settled, 0),
})

const creditsOf = (rows: readonly Spent[]) => rows.reduce((sum, { held, settled }) => sum + held + settled, 0)

/** The rows by an id, those of the most credits first; rows without one are left out. */
const mostOf = (rows: readonly Reserved[], idOf: (row: Reserved) => string | null): [string, Reserved[]][] =>
  [...Map.groupBy(rows, idOf)]
    .filter((group): group is [string, Reserved[]] => group[0] !== null)
    .toSorted(([id, own], [otherId, other]) => creditsOf(other) - creditsOf(own) || (id < otherId ? -1 : 1))
    .slice(0, maxSpenders)
