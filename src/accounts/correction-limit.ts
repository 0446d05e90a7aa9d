import type { Transaction } from '../database/open.ts'
import { notFound, ServiceError } from '../http/errors.ts'
import { accountExists } from './accounts.ts'

/** The maximum of corrections of an account, those of requests and of wishes together; a constraint of the table holds it too. */
export const maxCorrections = 10_000

/**
 * The error of a correction that was not counted: the account has the maximum, or it was deleted since its key was checked.
 * @param accountId null for the operator, who has no limit.
 */
export async function correctionRefusal(transaction: Transaction, accountId: string | null): Promise<ServiceError> {
  if (accountId !== null && !(await accountExists(transaction, accountId))) return notFound('Account')
  const maximum = maxCorrections.toLocaleString('en-US')
  return new ServiceError(
    'CONFLICT',
    `The account has ${maximum} corrections, which is the maximum. Undo some of them first.`,
  )
}
