/** A contradiction in the ledger. */
export interface Difference {
  accountId: string
  /** The compared value, such as `balance: pool_held`. */
  check: string
  /** The id of the reservation, job, call or entry; for a balance that of the account. */
  subject: string
  stored: string | null
  expected: string | null
}

export interface Comparison {
  check: string
  accountId: string
  subject: string
  /** A SQL FROM clause over `checked`, the accounts to verify. */
  from: string
  /** By name: the SQL of the stored and of the expected value. */
  values: Record<string, [stored: string, expected: string]>
}

/** The SQL of a query that gives a row for every wrong value; rows without one are skipped before they are expanded. */
export function differences({ check, accountId, subject, from, values }: Comparison): string {
  const pairs = Object.entries(values)
  const stored = pairs.map(([, pair]) => pair[0]).join(', ')
  const expected = pairs.map(([, pair]) => pair[1]).join(', ')
  return `
    select ${accountId} as "accountId", '${check}: ' || pair.name as "check", (${subject})::text as subject,
      pair.stored, pair.expected
    from ${from} cross join lateral (values ${pairs
      .map(([name, pair]) => `('${name}', (${pair[0]})::text, (${pair[1]})::text)`)
      .join(', ')}) as pair (name, stored, expected)
    where (${stored}) is distinct from (${expected}) and pair.stored is distinct from pair.expected`
}

/**
 * The rows of one table that belong to the accounts to verify. `offset 0` prevents the planner from joining the whole table
 * instead, which it does in a database that was never analysed.
 */
export const ofChecked = (table: string, alias: string) =>
  `checked cross join lateral (select * from ${table} where account_id = checked.account_id offset 0) ${alias}`

export const sumOf = (column: string, condition = 'true') => `coalesce(sum(${column}) filter (where ${condition}), 0)`
