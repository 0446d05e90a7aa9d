import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'

/** What was used in a month: whole credits of the pool and PAYG together. */
export interface Spent {
  held: number
  settled: number
}

export interface Spending {
  /** UTC, YYYY-MM. */
  month: string
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

/** More keys or watches than these are not used by people in one month. */
export const maxSpenders = 200

/** The use of an account in a month, by key and by watch. */
export async function readSpending(
  executor: Executor,
  { accountId, month }: { accountId: string; month: string },
): Promise<Spending> {
  const [keys, watches, totals] = await Promise.all([
    readByKey(executor, accountId, month),
    executor
      .selectFrom('spender_months')
      .leftJoin('watches', 'watches.id', 'spender_id')
      .select(['spender_id as id', 'held', 'settled', 'name'])
      .where('spender_months.account_id', '=', accountId)
      .where('month', '=', month)
      .where('kind', '=', 'watch')
      .where((eb) => eb(eb('held', '+', eb.ref('settled')), '>', 0))
      .orderBy(sql`held + settled`, 'desc')
      .orderBy('spender_id')
      .limit(maxSpenders)
      .execute(),
    readTotals(executor, accountId, month),
  ])
  return {
    month,
    ...totals,
    keys: keys.map(({ id, ...spent }) => ({ keyId: id, ...spent })),
    watches: watches.map(({ id, ...spent }) => ({ watchId: id, ...spent })),
  }
}

/** What reservations hold and have settled, for a statement that groups them. */
const spentByReservations = sql`coalesce(sum(pool_part + payg_part) filter (where state = 'open'), 0)::integer as held,
      coalesce(sum(reserved.settled), 0)::integer as settled`

async function readByKey(executor: Executor, accountId: string, month: string) {
  const { rows } = await sql<Spent & { id: string; name: string }>`
    select api_keys.id, api_keys.name, spent.held, spent.settled
    from (
      select key_id, ${spentByReservations}
      from credit_reservations as reserved where account_id = ${accountId} and month = ${month} and key_id is not null group by key_id
    ) as spent join api_keys on api_keys.id = spent.key_id
    where spent.held + spent.settled > 0
    order by spent.held + spent.settled desc, api_keys.id limit ${maxSpenders}`.execute(executor)
  return rows
}

async function readTotals(
  executor: Executor,
  accountId: string,
  month: string,
): Promise<Pick<Spending, 'total' | 'withoutKey'>> {
  const { rows } = await sql<Spent & { isKeyless: boolean }>`
    select key_id is null as "isKeyless", ${spentByReservations}
    from credit_reservations as reserved where account_id = ${accountId} and month = ${month} group by 1`.execute(
    executor,
  )
  const sumOf = (of: readonly Spent[]): Spent => ({
    held: of.reduce((sum, { held }) => sum + held, 0),
    settled: of.reduce((sum, { settled }) => sum + settled, 0),
  })
  return { total: sumOf(rows), withoutKey: sumOf(rows.filter(({ isKeyless }) => isKeyless)) }
}
