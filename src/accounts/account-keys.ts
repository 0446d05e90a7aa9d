import type { Database, Executor, Transaction } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import { addKey, generateApiKey } from './keys.ts'

/** More than anybody needs, few enough to be read in one page. */
export const maxActiveKeys = 50

/** A list is bounded, however often keys were made and revoked. */
const maxListedKeys = maxActiveKeys + 100

/** The keys of an account: every active one, oldest first, then those that were revoked last. */
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

/** Keeps all other changes of an account's keys out until the transaction ends. @returns false when it is deleted. */
async function lockAccount(transaction: Transaction, accountId: string): Promise<boolean> {
  const row = await transaction
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    // Unlike a full lock it lets others insert rows that refer to the account: jobs must not wait for keys.
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
 * @returns the key, which is never told again; null when there is no such account.
 * @throws ServiceError CONFLICT when the account has as many active keys as it may.
 */
export async function makeKey(
  transaction: Transaction,
  { accountId, name, now }: { accountId: string; name: string; now: Date },
): Promise<{ keyId: string; apiKey: string } | null> {
  if (!(await lockAccount(transaction, accountId))) return null
  if ((await countActiveKeys(transaction, accountId)) >= maxActiveKeys) {
    throw new ServiceError('CONFLICT', `The account has ${maxActiveKeys} active keys, the most it may: revoke one.`)
  }
  const apiKey = generateApiKey()
  const keyId = await addKey(transaction, { accountId, name, apiKey, now })
  if (keyId === null) throw new Error('a freshly generated API key exists already')
  return { keyId, apiKey }
}

/**
 * Revokes a key in the name of its own account; one that is revoked already stays as it is.
 * @returns false when the account has no such key.
 * @throws ServiceError CONFLICT when it is the last active key: nobody could call in the account's name any more.
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
