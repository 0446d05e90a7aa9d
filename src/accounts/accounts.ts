import { sql } from 'kysely'
import { takeLock } from '../database/advisory-locks.ts'
import type { Tier } from '../database/column-types.ts'
import type { Database, Executor, Transaction } from '../database/open.ts'
import { notFound, ServiceError } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { generateApiKey } from './api-key.ts'
import { addKey, isKnownKey } from './keys.ts'
import { monthOf } from './period.ts'

export interface NewAccount {
  name: string
  tier: Tier
  now: Date
}

/** Creates an account with zero credit balances, in one statement. @returns its id */
export async function createAccount(executor: Executor, { name, tier, now }: NewAccount): Promise<string> {
  const { account_id } = await executor
    .with('account', (made) => made.insertInto('accounts').values({ name, tier, created_at: now }).returning('id'))
    .insertInto('credit_balances')
    .columns(['account_id', 'month', 'latest_month'])
    .expression((eb) => {
      const month = eb.val(monthOf(now))
      return eb.selectFrom('account').select(['id', month.as('month'), month.as('latest_month')])
    })
    .returning('account_id')
    .executeTakeFirstOrThrow()
  return account_id
}

const accountColumns = [
  'id as accountId',
  'name',
  'tier',
  'payg_monthly_cap as paygMonthlyCap',
  'created_at as createdAt',
  'deleted_at as deletedAt',
] as const

/** Creates an account with its first key, both or neither. @returns both */
export async function createAccountWithKey(transaction: Transaction, account: NewAccount) {
  const accountId = await createAccount(transaction, account)
  const apiKey = generateApiKey()
  await addKey(transaction, { accountId, name: 'first key', apiKey, now: account.now })
  const accounts = transaction.selectFrom('accounts').select(accountColumns).where('id', '=', accountId)
  return { ...(await accounts.executeTakeFirstOrThrow()), apiKey }
}

/** All accounts, oldest first; deleted ones on request. */
export const listAccounts = (executor: Executor, { deleted = false } = {}) =>
  executor
    .selectFrom('accounts')
    .select(accountColumns)
    .$if(!deleted, (query) => query.where('deleted_at', 'is', null))
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export interface AccountUse {
  accountId: string
  /** Whole pool and PAYG credits reserved in the UTC month, including held ones. */
  usedThisMonth: number
  /** Last use of a key or active session, to within minutes. */
  lastSeenAt: Date | null
}

/** Use in the month of `now`, and last use. After a clock change, adds up entries instead of balances. */
export async function readAccountUse(
  executor: Executor,
  accountIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, AccountUse>> {
  const month = monthOf(now)
  const { rows } = await sql<AccountUse>`
    select account_id as "accountId",
      case when month = ${month} then pool_held + pool_settled + payg_month_used when latest_month < ${month} then 0 else (
        select coalesce(sum(pool_held_change + pool_settled_change + payg_held_change + payg_settled_change), 0)::integer
        from credit_entries where credit_entries.account_id = balances.account_id and credit_entries.month = ${month}
      ) end as "usedThisMonth",
      greatest(
        (select max(last_used_at) from api_keys where api_keys.account_id = balances.account_id),
        (select max(last_used_at) from sessions where sessions.account_id = balances.account_id)
      ) as "lastSeenAt"
    from credit_balances as balances where account_id = any(${[...accountIds]}::uuid[])`.execute(executor)
  return new Map(rows.map((row) => [row.accountId, row]))
}

interface AccountChanges {
  tier?: Tier
  paygMonthlyCap?: number | null
}

/** Effective at once; used credits stay used. @param changes at least one @returns undefined without the account */
export const updateAccount = (executor: Executor, accountId: string, { tier, paygMonthlyCap }: AccountChanges) =>
  executor
    .updateTable('accounts')
    .set({ tier, payg_monthly_cap: paygMonthlyCap })
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .returning(accountColumns)
    .executeTakeFirst()

/** Account names by id, including deleted accounts. */
export async function readAccountNames(
  executor: Executor,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (accountIds.length === 0) return new Map()
  const rows = await executor
    .selectFrom('accounts')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(accountIds)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Whether at least two undeleted accounts exist. */
export async function hasSeveralAccounts(executor: Executor): Promise<boolean> {
  const rows = await executor.selectFrom('accounts').select('id').where('deleted_at', 'is', null).limit(2).execute()
  return rows.length > 1
}

/** Whether the account exists and is not deleted. */
export async function accountExists(executor: Executor, accountId: string): Promise<boolean> {
  const row = await executor
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** @throws ServiceError NOT_FOUND if the account does not exist or is deleted */
export async function requireExisting(executor: Executor, accountId: string): Promise<void> {
  if (!isId(accountId) || !(await accountExists(executor, accountId))) throw notFound('Account')
}

/** Deletes a room's data of an account, in the account's transaction, before its row is locked. */
export type DeleteOfAccount = (transaction: Transaction, accountId: string) => Promise<void>

/**
 * Removes names, links, sessions and sources, and revokes keys. Ledger and jobs stay; running jobs finish, as they are
 * paid.
 * @param deleteOwned deletes other rooms' data
 * @returns false if unknown or deleted
 */
export function deleteAccount(
  database: Database,
  accountId: string,
  { now, deleteOwned }: { now: Date; deleteOwned: DeleteOfAccount },
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    await deleteOwned(transaction, accountId)
    const deleted = await transaction
      .updateTable('accounts')
      .set({ name: 'deleted account', deleted_at: now })
      .where('id', '=', accountId)
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!deleted) return false
    await transaction
      .updateTable('api_keys')
      .set((eb) => ({ name: 'deleted key', revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
      .where('account_id', '=', accountId)
      .execute()
    for (const table of ['account_sources', 'sign_in_links', 'session_people', 'sessions'] as const)
      await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
    return true
  })
}

interface Bootstrap {
  apiKey: string | undefined
  tier: Tier
  now: Date
}

/** If there is no account, creates the first with the operator's key. @returns a new key to show once, or null */
export function bootstrapFirstAccount(database: Database, { apiKey, tier, now }: Bootstrap): Promise<string | null> {
  return database.transaction().execute(async (transaction) => {
    // Of several processes starting on a new Postgres, one creates the account.
    await takeLock(transaction, 'bootstrap')
    const first = await transaction
      .selectFrom('accounts')
      .select(['id', 'deleted_at'])
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    const isSettled = apiKey === undefined ? first !== undefined : await isKnownKey(transaction, apiKey)
    if (isSettled) return null
    // A deleted account is never reopened, and its key opens no other.
    const living = first?.deleted_at === null ? first.id : undefined
    const accountId = living ?? (await createAccount(transaction, { name: 'first account', tier, now }))
    if (apiKey !== undefined) {
      await addKey(transaction, { accountId, name: 'BOOTSTRAP_API_KEY', apiKey, now })
      return null
    }
    const generated = generateApiKey()
    await addKey(transaction, { accountId, name: 'first key', apiKey: generated, now })
    return generated
  })
}

/** Maximum corrections of an account, to requests and wishes; also a table constraint. */
export const maxCorrections = 10_000

/** Counts a correction. @returns a statement with the account's id (null: operator), without rows at the maximum */
export const countCorrection = (accountId: string | null) =>
  accountId === null
    ? sql`select null::uuid as id`
    : sql`update accounts set corrections = corrections + 1
        where id = ${accountId} and deleted_at is null and corrections < ${maxCorrections} returning id`

/** Reports the maximum, or that the account was deleted. @param accountId null for the operator, who has no limit */
export async function correctionRefusal(transaction: Transaction, accountId: string | null): Promise<ServiceError> {
  if (accountId !== null && !(await accountExists(transaction, accountId))) return notFound('Account')
  const maximum = maxCorrections.toLocaleString('en-US')
  return new ServiceError(
    'CONFLICT',
    `The account has ${maximum} corrections, which is the maximum. Undo some of them first.`,
  )
}
