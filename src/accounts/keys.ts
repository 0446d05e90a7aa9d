import { sql } from 'kysely'
import { type KeyScope, keyScopes } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { recordIfWritable } from '../database/writes.ts'
import type { Account, Pool } from '../http/callers.ts'
import { ServiceError } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { apiKeyPattern, hashKey } from './api-key.ts'

/** Whether scope `held` covers `needed`: each includes those before it, and `collect` includes feedback. */
export const includesScope = (held: KeyScope, needed: KeyScope): boolean => {
  if (held === 'feedback') return needed === 'feedback'
  return keyScopes.indexOf(held) >= keyScopes.indexOf(needed === 'feedback' ? 'collect' : needed)
}

/** The scope in answers: feedback keys show the least scope, plus `feedbackOnly`. */
export const shownScope = (scope: KeyScope) => (scope === 'feedback' ? 'read' : scope)

/** @throws ServiceError SCOPE_EXCEEDED if the caller's key does not cover `needed` */
export function requireScopeOf({ scope }: Pick<Account, 'scope'>, needed: KeyScope): void {
  if (includesScope(scope, needed)) return
  throw new ServiceError('SCOPE_EXCEEDED', `This call needs a key with the scope "${needed}". Yours has "${scope}".`)
}

export interface NewKey {
  accountId: string
  name: string
  apiKey: string
  /** By default everything, forever, with all the account's credits. */
  terms?: KeyTerms
  /** See the table. */
  bearers?: readonly string[]
  madeBy?: string | null
  now: Date
}

export interface KeyTerms {
  scope: KeyScope
  /** Invalid from then on; null: never. */
  expiresAt: Date | null
  /** Monthly credits (UTC) for it and the keys it makes; null: what the account has. */
  monthlyCredits: number | null
}

export const everything: KeyTerms = { scope: 'manage', expiresAt: null, monthlyCredits: null }

/** Adds a key to an account. @returns its id, or null if it was added before */
export async function addKey(executor: Executor, key: NewKey): Promise<string | null> {
  const { accountId, name, apiKey, terms = everything, bearers = [], madeBy = null, now } = key
  const row = await executor
    .insertInto('api_keys')
    .values({
      account_id: accountId,
      name,
      hash: hashKey(apiKey),
      // Enough to recognize a key, too little to use it: `ww_live_ab12…`.
      hint: `${apiKey.slice(0, 12)}…`,
      created_at: now,
      scope: terms.scope,
      expires_at: terms.expiresAt,
      monthly_credits: terms.monthlyCredits,
      bearers: [...bearers],
      made_by: madeBy,
    })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Whether any account ever had the key, even revoked. */
export async function isKnownKey(executor: Executor, apiKey: string): Promise<boolean> {
  const row = await executor.selectFrom('api_keys').select('id').where('hash', '=', hashKey(apiKey)).executeTakeFirst()
  return row !== undefined
}

/** Whether a key was revoked or has expired. */
export async function hasKeyEnded(executor: Executor, keyId: string, now: Date): Promise<boolean> {
  const active = await executor
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()
  return active === undefined
}

/** For statements that joined a call's key: whether any key budget bounds it. */
export const hasBudget = sql<boolean>`api_keys.monthly_credits is not null or api_keys.bearers <> '{}'`.as(
  'keyHasBudget',
)

/** Precision of a key's last use: a call must not cost a write. */
const lastUsedPrecisionMs = 10 * 60_000

/** Also updates the key's last use. @returns null for an invalid or ended key, or a deleted account */
export async function findAccountByKey(
  executor: Executor,
  apiKey: string,
  now: Date,
): Promise<(Account & { keyId: string }) | null> {
  if (!apiKeyPattern.test(apiKey)) return null
  const row = await executor
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .innerJoin('credit_balances', 'credit_balances.account_id', 'accounts.id')
    .select(['api_keys.id', 'api_keys.scope', 'api_keys.last_used_at', 'accounts.id as accountId', 'accounts.tier'])
    .select([...ownViewColumns, hasBudget, ...poolColumns])
    .where('api_keys.hash', '=', hashKey(apiKey))
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]))
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { id, last_used_at: lastUsedAt, accountId, tier, scope } = row
  if (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= lastUsedPrecisionMs) {
    await recordIfWritable(executor.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute())
  }
  const { keyHasBudget } = row
  return {
    accountId,
    tier,
    hasOwnView: hasOwnView(row),
    keyId: id,
    personName: null,
    keyHasBudget,
    scope,
    pool: poolOf(row)!,
  }
}

/** For access tokens. @param claims whose token it is, and its rights @returns null if unknown or deleted */
export async function findAccountById(
  executor: Executor,
  accountId: string,
  claims: Pick<Account, 'scope' | 'personName'>,
): Promise<Account | null> {
  if (!isId(accountId)) return null
  const row = await executor
    .selectFrom('accounts')
    .innerJoin('credit_balances', 'credit_balances.account_id', 'accounts.id')
    .select(['accounts.id as accountId', 'accounts.tier'])
    .select([...ownViewColumns, ...poolColumns])
    .where('accounts.id', '=', accountId)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { tier } = row
  const account = { accountId, tier, hasOwnView: hasOwnView(row), pool: poolOf(row)! }
  return { ...account, ...claims, keyId: null, keyHasBudget: false }
}

/** Balance columns for answers, read with the key to save a statement. */
export const poolColumns = [
  'credit_balances.month',
  'credit_balances.latest_month',
  'credit_balances.pool_held',
  'credit_balances.pool_settled',
] as const

/** The pool in a row with these columns; null without an account. */
export const poolOf = ({
  month,
  latest_month,
  pool_held,
  pool_settled,
}: { [K in keyof Pool]: Pool[K] | null }): Pool | null =>
  month === null ? null : { month, latest_month: latest_month!, pool_held: pool_held!, pool_settled: pool_settled! }

/** Columns that show whether an account may see requests differently. */
export const ownViewColumns = ['accounts.has_own_view', 'accounts.corrections'] as const

/** Whether an account sees requests, or data about them, differently; false without one. */
export const hasOwnView = (row: { has_own_view: boolean | null; corrections: number | null }): boolean =>
  row.has_own_view === true || (row.corrections ?? 0) > 0
