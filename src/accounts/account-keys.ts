import type { Database, Executor, Transaction } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import { addKey, generateApiKey } from './keys.ts'

/** More than an account needs, few enough for one page of a list. */
export const maxActiveKeys = 50

/** Bounds the list of an account with many revoked keys. */
const maxListedKeys = maxActiveKeys + 100

/** The keys of an account: every active one, oldest first, then the last revoked ones. */
export function listKeys(executor: Executor, accountId: string) {
  return executor
    .selectFrom('api_keys')
    .select([
      'id as keyId',
      'name',
      'hint',
      'created_at as createdAt',
      'revoked_at as revokedAt',
      'last_used_at as lastUsedAt',
    ])
    .where('account_id', '=', accountId)
    .orderBy('revoked_at', (order) => order.desc().nullsFirst())
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxListedKeys)
    .execute()
}

/** Locks the keys of an account against other changes until the transaction ends. @returns false when the account is deleted. */
async function lockAccount(transaction: Transaction, accountId: string): Promise<boolean> {
  const row = await transaction
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    // Unlike a full lock it allows inserts of rows that refer to the account: jobs must not wait for keys.
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

async function countActiveKeys(transaction: Transaction, accountId: string): Promise<number> {
  const { count } = await transaction
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Makes a key for an account.
 * @returns the key, which cannot be read again; null when there is no such account.
 * @throws ServiceError CONFLICT when the account has the maximum of active keys.
 */
export async function makeKey(
  transaction: Transaction,
  { accountId, name, now }: { accountId: string; name: string; now: Date },
): Promise<{ keyId: string; apiKey: string } | null> {
  if (!(await lockAccount(transaction, accountId))) return null
  if ((await countActiveKeys(transaction, accountId)) >= maxActiveKeys) {
    throw new ServiceError('CONFLICT', `The account has ${maxActiveKeys} active keys, the maximum: revoke one.`)
  }
  const apiKey = generateApiKey()
  const keyId = await addKey(transaction, { accountId, name, apiKey, now })
  if (keyId === null) throw new Error('a newly generated API key exists already')
  return { keyId, apiKey }
}

/**
 * Revokes a key for its own account; for a revoked key it changes nothing.
 * @returns false when the account has no such key.
 * @throws ServiceError CONFLICT when it is the last active key: without one the account could make no call.
 */
export function revokeOwnKey(
  database: Database,
  { accountId, keyId, now }: { accountId: string; keyId: string; now: Date },
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) return false
    const key = await transaction
      .selectFrom('api_keys')
      .select('revoked_at')
      .where('id', '=', keyId)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    if (!key) return false
    if (key.revoked_at !== null) return true
    if ((await countActiveKeys(transaction, accountId)) === 1) {
      throw new ServiceError('CONFLICT', "This is the account's last active key: make another one before revoking it.")
    }
    await transaction.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', keyId).execute()
    return true
  })
}
