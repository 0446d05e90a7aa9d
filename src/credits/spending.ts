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
  /** By the key of each call, or of the watch whose run it is; the most used first. */
  keys: (Spent & { keyId: string; name: string })[]
  /** By watch; the name is null for a deleted one. A run counts for its watch and for its key. */
  watches: (Spent & { watchId: string; name: string | null })[]
}

/** More keys or watches than these are not used by people in one month. */
export const maxSpenders = 200

/** The use of an account in a month, by key and by watch. What no key used is in the total alone. */
export async function readSpending(
  executor: Executor,
  { accountId, month }: { accountId: string; month: string },
): Promise<Spending> {
  const spendersOf = (kind: 'key' | 'watch') =>
    executor
      .selectFrom('spender_months')
      .select(['spender_id as id', 'held', 'settled'])
      .where('spender_months.account_id', '=', accountId)
      .where('month', '=', month)
      .where('kind', '=', kind)
      .where((eb) => eb(eb('held', '+', eb.ref('settled')), '>', 0))
      .orderBy(sql`held + settled`, 'desc')
      .orderBy('spender_id')
      .limit(maxSpenders)
  const [keys, watches, total] = await Promise.all([
    spendersOf('key').innerJoin('api_keys', 'api_keys.id', 'spender_id').select('name').execute(),
    spendersOf('watch').leftJoin('watches', 'watches.id', 'spender_id').select('name').execute(),
    readTotal(executor, accountId, month),
  ])
  return {
    month,
    total,
    keys: keys.map(({ id, ...spent }) => ({ keyId: id, ...spent })),
    watches: watches.map(({ id, ...spent }) => ({ watchId: id, ...spent })),
  }
}

async function readTotal(executor: Executor, accountId: string, month: string): Promise<Spent> {
  const { rows } = await sql<Spent>`
    select coalesce(sum(pool_held_change + payg_held_change), 0)::integer as held,
      coalesce(sum(pool_settled_change + payg_settled_change), 0)::integer as settled
    from credit_entries where account_id = ${accountId} and month = ${month}`.execute(executor)
  return rows[0] ?? { held: 0, settled: 0 }
}
