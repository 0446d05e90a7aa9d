import type { Pool } from '../http/callers.ts'

/** The columns of the balances of an account that an answer says: read with its key, so that they cost no statement of their own. */
export const poolColumns = [
  'credit_balances.month',
  'credit_balances.latest_month',
  'credit_balances.pool_held',
  'credit_balances.pool_settled',
] as const

/** The pool in a row with these columns; null in one that joined no account. */
export const poolOf = ({
  month,
  latest_month,
  pool_held,
  pool_settled,
}: { [K in keyof Pool]: Pool[K] | null }): Pool | null =>
  month === null ? null : { month, latest_month: latest_month!, pool_held: pool_held!, pool_settled: pool_settled! }
