import { type KeyScope, keyScopes } from '../database/column-types.ts'
import type { Account } from '../http/callers.ts'
import { ServiceError } from '../http/errors.ts'

/** Whether a key of the scope `held` may do what needs `needed`: each scope includes the ones before it. */
export const includesScope = (held: KeyScope, needed: KeyScope): boolean =>
  keyScopes.indexOf(held) >= keyScopes.indexOf(needed)

/** @throws ServiceError SCOPE_EXCEEDED when the key of the caller may not do what needs `needed`. */
export function requireScopeOf({ scope }: Pick<Account, 'scope'>, needed: KeyScope): void {
  if (includesScope(scope, needed)) return
  throw new ServiceError('SCOPE_EXCEEDED', `This call needs a key with the scope "${needed}". Yours has "${scope}".`)
}
