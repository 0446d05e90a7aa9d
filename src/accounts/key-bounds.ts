import type { Transaction } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import type { KeyTerms } from './keys.ts'
import { includesScope } from './scopes.ts'

/** Each of them is a row that a reservation holds credits in. */
const maxBearers = 4

const exceeds = (what: string) => new ServiceError('SCOPE_EXCEEDED', `A key makes no key that can more: ${what}`)

/**
 * The terms of a new key, within those of the key that makes it: its scope, its expiry and its budget. What the new key uses counts
 * in the budgets of its makers, too, so that many keys cannot use more than the one that made them.
 * @param maker the key that makes it; null for the operator, and for a session that no key opened.
 * @throws ServiceError SCOPE_EXCEEDED when it could more than its maker.
 */
export async function boundedTerms(
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

/** @throws ServiceError SCOPE_EXCEEDED when one of the terms exceeds that of the maker. */
function requireWithin({ scope, expiresAt, monthlyCredits }: KeyTerms, own: KeyTerms): void {
  if (!includesScope(own.scope, scope)) throw exceeds(`its scope is at most "${own.scope}".`)
  if (own.expiresAt !== null && (expiresAt === null || expiresAt > own.expiresAt)) {
    throw exceeds(`\`expiresAt\` is at most ${own.expiresAt.toISOString()}.`)
  }
  if (own.monthlyCredits !== null && (monthlyCredits === null || monthlyCredits > own.monthlyCredits)) {
    throw exceeds(`\`monthlyCredits\` is at most ${own.monthlyCredits}.`)
  }
}
