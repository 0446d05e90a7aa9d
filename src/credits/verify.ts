import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { type Difference, ledgerRules } from './ledger-rules.ts'

const allDifferences = sql.raw<Difference>(ledgerRules.join('\n  union all'))

/** Few accounts per statement, to neither block the database nor time out; about 8 µs per reservation. */
const batchSize = 5

/** Differences of some accounts, as of one moment. @param limit maximum differences */
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
 * Checks all balances and ledger rules, even of a running service, within the database, so in bounded memory.
 * @param limit maximum differences; then it stops
 * @returns none if the ledger is sound
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
