import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../database/open.ts'
import type { Tier } from '../database/tables.ts'
import { addKey, generateApiKey } from './keys.ts'

export interface NewAccount {
  name: string
  tier: Tier
  now: Date
}

/** Makes an account. @returns its id. */
export async function createAccount(executor: Executor, { name, tier, now }: NewAccount): Promise<string> {
  const { id } = await executor
    .insertInto('accounts')
    .values({ name, tier, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Makes an account with its first key, both or neither. */
export async function createAccountWithKey(
  transaction: Transaction,
  account: NewAccount,
): Promise<{ accountId: string; apiKey: string }> {
  const accountId = await createAccount(transaction, account)
  const apiKey = generateApiKey()
  await addKey(transaction, { accountId, name: 'first key', apiKey, now: account.now })
  return { accountId, apiKey }
}

/** Every account, oldest first. */
export function listAccounts(executor: Executor) {
  return executor
    .selectFrom('accounts')
    .select(['id as accountId', 'name', 'tier', 'created_at as createdAt'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Changes an account's plan, effective at once. @returns the account, or undefined when there is none. */
export function setTier(executor: Executor, accountId: string, tier: Tier) {
  return executor
    .updateTable('accounts')
    .set({ tier })
    .where('id', '=', accountId)
    .returning(['id as accountId', 'name', 'tier', 'created_at as createdAt'])
    .executeTakeFirst()
}

export const accountExists = async (executor: Executor, accountId: string): Promise<boolean> =>
  (await executor.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst()) !== undefined

/** Any constant will do, so long as it is the same in every process that starts on the same Postgres. */
const bootstrapLock = 4680_001

export interface Bootstrap {
  /** The key that the operator chose, if any. */
  apiKey: string | undefined
  tier: Tier
  now: Date
}

/**
 * Makes the first account when there is none, and sees to it that the operator's key opens it.
 * @returns a key that was made now and must be shown, once; null when there is nothing to show.
 */
export function bootstrapFirstAccount(database: Database, { apiKey, tier, now }: Bootstrap): Promise<string | null> {
  return database.transaction().execute(async (transaction) => {
    // Several processes may start on one new Postgres: one makes the account, the others find it.
    await sql`select pg_advisory_xact_lock(${bootstrapLock})`.execute(transaction)
    const first = await transaction
      .selectFrom('accounts')
      .select('id')
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    const accountId = first?.id ?? (await createAccount(transaction, { name: 'first account', tier, now }))
    if (apiKey !== undefined) {
      await addKey(transaction, { accountId, name: 'BOOTSTRAP_API_KEY', apiKey, now })
      return null
    }
    if (first) return null
    const generated = generateApiKey()
    await addKey(transaction, { accountId, name: 'first key', apiKey: generated, now })
    return generated
  })
}
