import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import { formatMoment } from '../runtime/dates.ts'
import { generateApiKey } from './api-key.ts'
import { addKey, includesScope, type KeyTerms } from './keys.ts'
import { lockAccount, type MadeByKey, type MadeKinds, makerOf, readKeysMadeBy, readMadeBy } from './made-by-key.ts'
import { monthOf, monthPeriod } from './period.ts'

/** More than an account needs, but one page of a list. */
export const maxActiveKeys = 50

/** Bounds the list of an account with many ended keys. */
const maxListedKeys = maxActiveKeys + 100

/** All active keys of an account, and the most recently revoked or expired ones. */
export function listKeys(executor: Executor, accountId: string, now: Date) {
  const { from, until } = monthPeriod(monthOf(now))
  return executor
    .selectFrom('api_keys')
    .leftJoin('spender_months as used', (join) =>
      join
        .onRef('used.account_id', '=', 'api_keys.account_id')
        .onRef('used.spender_id', '=', 'api_keys.id')
        .on('used.month', '=', monthOf(now))
        // A budget also bounds what the keys it made use.
        .on('used.kind', '=', 'key_budget'),
    )
    .leftJoin(
      (eb) =>
        eb
          .selectFrom('credit_reservations')
          .select('key_id')
          .select(
            sql<number>`sum(case state when 'open' then pool_part + payg_part else settled end)::integer`.as('credits'),
          )
          .where('account_id', '=', accountId)
          .where('created_at', '>=', from)
          .where('created_at', '<', until)
          .groupBy('key_id')
          .as('own'),
      (join) => join.onRef('own.key_id', '=', 'api_keys.id'),
    )
    .select([
      'api_keys.id as keyId',
      'name',
      'hint',
      'scope',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'revoked_at as revokedAt',
      'last_used_at as lastUsedAt',
      'monthly_credits as monthlyCredits',
      'made_by as madeBy',
    ])
    .select((eb) =>
      eb.fn.coalesce(eb('used.held', '+', eb.ref('used.settled')), 'own.credits', eb.lit(0)).as('usedThisMonth'),
    )
    .where('api_keys.account_id', '=', accountId)
    .orderBy(
      // `least` ignores nulls.
      sql`least(revoked_at, case when expires_at <= ${now}::timestamptz then expires_at end)`,
      (order) => order.desc().nullsFirst(),
    )
    .orderBy('created_at')
    .orderBy('api_keys.id')
    .limit(maxListedKeys)
    .execute()
}

/** An account's valid keys, neither revoked nor expired. */
const activeKeys = (transaction: Transaction, accountId: string, now: Date) =>
  transaction
    .selectFrom('api_keys')
    .select(['id', 'scope', 'expires_at as expiresAt', 'monthly_credits as monthlyCredits'])
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute()

/** Whether a key may do everything forever: without one, an account could not make another. */
const isFull = ({ scope, expiresAt, monthlyCredits }: KeyTerms) =>
  scope === 'manage' && expiresAt === null && monthlyCredits === null

interface KeyToMake extends Partial<KeyTerms> {
  accountId: string
  name: string
  /** The bounding key that makes it; null for the operator, and for a session without a key. */
  maker: string | null
  now: Date
}

/** @returns the key, never readable again @throws ServiceError NOT_FOUND; CONFLICT at the maximum; SCOPE_EXCEEDED */
export async function makeKey(
  transaction: Transaction,
  { accountId, name, maker, now, ...terms }: KeyToMake,
): Promise<{ keyId: string; apiKey: string }> {
  const { made_by: madeBy } = await makerOf(transaction, { accountId, keyId: maker, now })
  const bounded = await boundedTerms(transaction, terms, maker)
  if ((await activeKeys(transaction, accountId, now)).length >= maxActiveKeys) {
    throw new ServiceError('CONFLICT', `The account has ${maxActiveKeys} active keys, the maximum: revoke one.`)
  }
  const apiKey = generateApiKey()
  const keyId = await addKey(transaction, { accountId, name, apiKey, ...bounded, madeBy, now })
  if (keyId === null) throw new Error('a newly generated API key exists already')
  return { keyId, apiKey }
}

interface KeyToRevoke {
  keyId: string
  /** The key's account; null for the operator, who may revoke any key. */
  accountId: string | null
  /** The calling key, which stays with what it made; null for the operator, and for a session without a key. */
  caller: string | null
  /** Whether to end what the key, and keys made by it, made. */
  withMade: boolean
  kinds: MadeKinds
  now: Date
}

const nothing: MadeByKey = { keys: [], feeds: [], shares: [], channels: [], watches: [], trackers: [] }

/** A key's account; null if it does not exist or is another account's. */
async function accountOfKey(executor: Executor, { keyId, accountId }: Pick<KeyToRevoke, 'keyId' | 'accountId'>) {
  const key = await executor.selectFrom('api_keys').select('account_id').where('id', '=', keyId).executeTakeFirst()
  return key === undefined || (accountId !== null && key.account_id !== accountId) ? null : key.account_id
}

/** What a key made; null if the account has no such key. */
export async function readMade(
  executor: Executor,
  { keyId, accountId, caller, kinds, now }: Omit<KeyToRevoke, 'withMade'>,
): Promise<MadeByKey | null> {
  const owner = await accountOfKey(executor, { keyId, accountId })
  return owner === null ? null : readMadeBy(executor, kinds, { keyId, except: caller, now })
}

/**
 * Revokes a key and, on request, what it made, even if the key has ended already.
 * @returns what ended with it; null without such a key
 * @throws ServiceError CONFLICT for an account's last active key, or its last full one
 */
export function revokeKey(database: Database, key: KeyToRevoke): Promise<MadeByKey | null> {
  const { keyId, caller, withMade, kinds, now } = key
  const asked = { keyId, except: caller, now }
  return database.transaction().execute(async (transaction) => {
    const owner = await accountOfKey(transaction, key)
    if (owner === null) return null
    // Everything a key makes locks the account too, so nothing made later is left over.
    await lockAccount(transaction, owner)
    const made = withMade ? await readMadeBy(transaction, kinds, asked) : nothing
    const keyIds = [keyId, ...(withMade ? await readKeysMadeBy(transaction, asked) : []).map(({ id }) => id)]
    if (key.accountId !== null) requireOthers(await activeKeys(transaction, owner, now), keyIds)
    await transaction
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('id', 'in', keyIds)
      .where('revoked_at', 'is', null)
      .execute()
    if (withMade) for (const kind of Object.values(kinds)) await kind.end(transaction, keyIds, now)
    return made
  })
}

/** @throws ServiceError CONFLICT if the account cannot go on without these keys */
function requireOthers(active: (KeyTerms & { id: string })[], keyIds: readonly string[]): void {
  const others = active.filter(({ id }) => !keyIds.includes(id))
  if (others.length === active.length) return
  if (others.length === 0) {
    throw new ServiceError('CONFLICT', "This is the account's last active key: make another one before revoking it.")
  }
  if (active.some(isFull) && !others.some(isFull)) {
    const full = 'with the scope "manage", without an expiry and without a budget'
    throw new ServiceError(
      'CONFLICT',
      `This is the account's last key ${full}: make another such key before revoking it.`,
    )
  }
}

/** Each one is a row in which a reservation holds credits. */
const maxBearers = 4

const exceeds = (what: string) => new ServiceError('SCOPE_EXCEEDED', `A key makes no key that can more: ${what}`)

/**
 * Bounds a new key by its maker, in whose budgets its use counts too.
 * @param maker null for the operator, and for a session without a key
 * @throws ServiceError SCOPE_EXCEEDED beyond the maker
 */
async function boundedTerms(
  transaction: Transaction,
  { scope = 'manage', expiresAt = null, monthlyCredits = null }: Partial<KeyTerms>,
  maker: string | null,
): Promise<{ terms: KeyTerms; bearers: string[] }> {
  const terms = { scope, expiresAt, monthlyCredits }
  if (maker === null) return { terms, bearers: [] }
  const own = await transaction
    .selectFrom('api_keys')
    .select(['scope', 'expires_at as expiresAt', 'monthly_credits as monthlyCredits', 'bearers'])
    .where('id', '=', maker)
    .executeTakeFirstOrThrow()
  requireWithin(terms, own)
  const bearers = own.monthlyCredits === null ? own.bearers : [...own.bearers, maker]
  if (bearers.length > maxBearers) {
    throw exceeds(`keys with a budget make keys that make keys ${maxBearers} deep at most.`)
  }
  return { terms, bearers }
}

/** @throws ServiceError SCOPE_EXCEEDED if a term exceeds the maker's */
function requireWithin({ scope, expiresAt, monthlyCredits }: KeyTerms, own: KeyTerms): void {
  if (!includesScope(own.scope, scope)) throw exceeds(`its scope is at most "${own.scope}".`)
  if (own.expiresAt !== null && (expiresAt === null || expiresAt > own.expiresAt)) {
    throw exceeds(`\`expiresAt\` is at most ${formatMoment(own.expiresAt)}.`)
  }
  if (own.monthlyCredits !== null && (monthlyCredits === null || monthlyCredits > own.monthlyCredits)) {
    throw exceeds(`\`monthlyCredits\` is at most ${own.monthlyCredits}.`)
  }
}
