import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { type Difference, ledgerRules } from './ledger-rules.ts'

const allDifferences = sql.raw<Difference>(ledgerRules.join('\n  union all'))

/**
 * Accounts in one statement: few, so that a statement neither blocks the database for long nor reaches its time limit. A
 * reservation takes about 8 µs.
 */
const batchSize = 5

/** The differences of some accounts, in one statement and so as of one moment. @param limit the maximum number of differences. */
export async function verifyAccounts(
  executor: Executor,
  accountIds: readonly string[],
  limit = 100,
): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with checked as (select unnest(${[...accountIds]}::uuid[]) as account_id) ${allDifferences}
    limit ${limit}`.execute(executor)
  return rows
}

/**
 * Recomputes every balance of every account from its entries and checks every rule of the ledger, while the service runs
 * or not. The database does all the work, so memory is bounded for a ledger of any size.
 * @param limit the maximum number of differences; the search ends there.
 * @returns the differences; none when the ledger is sound.
 */
export async function verifyLedger(executor: Executor, limit = 100): Promise<Difference[]> {
  const found: Difference[] = []
  let after = '00000000-0000-0000-0000-000000000000'
  while (found.length < limit) {
    const accounts = await executor
      .selectFrom('accounts')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .execute()
    const last = accounts.at(-1)
    if (!last) break
    after = last.id
    const batch = accounts.map((account) => account.id)
    found.push(...(await verifyAccounts(executor, batch, limit - found.length)))
  }
  return found
}
