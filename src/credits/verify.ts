import { sql } from 'kysely'
import { packs } from '../accounts/plans.ts'
import type { Executor } from '../database/open.ts'

/** A place where the ledger contradicts itself. */
export interface Difference {
  accountId: string
  /** What was compared, like `balance: pool_held`. */
  check: string
  /** The id of the reservation, job or entry that it is about; of the account when it is about its balances. */
  subject: string
  stored: string | null
  expected: string | null
}

interface Comparison {
  check: string
  accountId: string
  subject: string
  /** A SQL FROM clause over `checked`, the accounts that are looked at. */
  from: string
  /** Name to the SQL of what is stored and of what it must be. */
  values: Record<string, [stored: string, expected: string]>
}

/** A query that gives a row for every value that is not what it must be; rows without any are passed over cheaply. */
function differences({ check, accountId, subject, from, values }: Comparison): string {
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
 * The rows of one table that belong to the accounts that are looked at. `offset 0` keeps the planner from joining the
 * whole table instead, which it likes to do in a database that was never analysed.
 */
const ofChecked = (table: string, alias: string) =>
  `checked cross join lateral (select * from ${table} where account_id = checked.account_id offset 0) ${alias}`

const sumOf = (column: string, condition = 'true') => `coalesce(sum(${column}) filter (where ${condition}), 0)`

/** Every balance is the sum of its entries; and what is held is what the open reservations hold. */
const balances = differences({
  check: 'balance',
  accountId: 'checked.account_id',
  subject: 'checked.account_id',
  from: `checked left join credit_balances b using (account_id)
    cross join lateral (
      select ${sumOf('pool_held_change', 'month = b.month')} as pool_held,
        ${sumOf('pool_settled_change', 'month = b.month')} as pool_settled,
        ${sumOf('payg_granted_change - payg_settled_change')} as payg_balance,
        ${sumOf('payg_held_change')} as payg_held,
        ${sumOf('payg_held_change + payg_settled_change', 'month = b.month')} as payg_month_used
      from credit_entries where account_id = checked.account_id
    ) entries
    cross join lateral (
      select ${sumOf('pool_part', 'month = b.month')} as pool_held, ${sumOf('payg_part')} as payg_held
      from credit_reservations where account_id = checked.account_id and state = 'open'
    ) open`,
  values: {
    pool_held: ['b.pool_held', 'entries.pool_held'],
    pool_settled: ['b.pool_settled', 'entries.pool_settled'],
    payg_balance: ['b.payg_balance', 'entries.payg_balance'],
    payg_held: ['b.payg_held', 'entries.payg_held'],
    payg_month_used: ['b.payg_month_used', 'entries.payg_month_used'],
    'pool_held of open reservations': ['b.pool_held', 'open.pool_held'],
    'payg_held of open reservations': ['b.payg_held', 'open.payg_held'],
    'month has its form': [`b.month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'`, 'true'],
    'month is not after the latest': ['b.month <= b.latest_month', 'true'],
  },
})

/** A reservation's entries say what it says: held in full while it is open; settled or released in full once it is closed. */
const reservations = differences({
  check: 'reservation',
  accountId: 'r.account_id',
  subject: 'r.id',
  from: `(
      select checked.account_id, r.id, r.month, r.state, r.pool_part, r.payg_part, r.settled,
        ${sumOf('e.pool_held_change', "e.kind = 'reserve'")} as pool_reserved,
        ${sumOf('e.payg_held_change', "e.kind = 'reserve'")} as payg_reserved,
        ${sumOf('e.pool_held_change')} as pool_held, ${sumOf('e.payg_held_change')} as payg_held,
        ${sumOf('e.pool_settled_change')} as pool_settled, ${sumOf('e.payg_settled_change')} as payg_settled,
        count(e.id) filter (where (e.month, e.operation, e.cause)
          is distinct from (r.month, r.operation, coalesce(r.job_id, r.call_id)::text)) as strangers
      from ${ofChecked('credit_reservations', 'r')}
      left join (select movement.* from ${ofChecked('credit_entries', 'movement')}) e on e.reservation_id = r.id
      group by 1, 2, 3, 4, 5, 6, 7
    ) r join credit_balances b on b.account_id = r.account_id`,
  values: {
    'pool reserved': ['r.pool_part', 'r.pool_reserved'],
    'payg reserved': ['r.payg_part', 'r.payg_reserved'],
    'pool held': ["case r.state when 'open' then r.pool_part else 0 end", 'r.pool_held'],
    'payg held': ["case r.state when 'open' then r.payg_part else 0 end", 'r.payg_held'],
    'pool settled': ['least(r.settled, r.pool_part)', 'r.pool_settled'],
    'payg settled': ['r.settled - least(r.settled, r.pool_part)', 'r.payg_settled'],
    'entries of another month or cause': ['r.strangers', '0'],
    'month is not after the latest of the balances': ['r.month <= b.latest_month', 'true'],
  },
})

/** Nothing was reserved for a platform that was off from the start: its task is skipped and has not begun. */
const wasAsked = "not (state = 'skipped' and error_code = 'not_configured' and started_at is null)"

/** A reservation is closed with its job and never before, for the pages that are stored; a job that asks nobody has none. */
const jobs = differences({
  check: 'job',
  accountId: 'j.account_id',
  subject: 'j.id',
  from: `${ofChecked('scrape_jobs', 'j')} left join credit_reservations r on r.job_id = j.id
    cross join lateral (
      select count(*) filter (where ${wasAsked}) as tasks, bool_and(not (${wasAsked})) as is_free, count(*) filter (where state in ('pending', 'running')) as unfinished,
        coalesce(sum(pages), 0) as pages
      from scrape_tasks where job_id = j.id
    ) tasks`,
  values: {
    account: ['r.account_id', 'case when tasks.is_free then null else j.account_id end'],
    reserved: ['r.pool_part + r.payg_part', 'case when tasks.is_free then null else j.depth * tasks.tasks end'],
    'state of its reservation': [
      'r.state',
      "case when tasks.is_free then null when tasks.unfinished = 0 then 'closed' else 'open' end",
    ],
    settled: ['r.settled', 'case when tasks.is_free then null when tasks.unfinished = 0 then tasks.pages else 0 end'],
  },
})

/**
 * The reservation of a live call is open exactly while the call is under way: one that lost its call would hold its credits for ever.
 * That a call costs 1 at most is the caller's law, who reserves no more.
 */
const calls = differences({
  check: 'call',
  accountId: 'r.account_id',
  subject: 'r.id',
  from: `${ofChecked('credit_reservations', 'r')} left join live_calls c on c.id = r.call_id`,
  values: {
    'state of its reservation': [
      'r.state',
      "case when r.call_id is null then r.state when c.id is null then 'closed' else 'open' end",
    ],
    'account and operation': [
      'c.account_id::text || c.operation',
      'case when c.id is not null then r.account_id::text || r.operation end',
    ],
  },
})

/** And a call under way has its reservation. */
const openCalls = differences({
  check: 'call',
  accountId: 'c.account_id',
  subject: 'c.id',
  from: `${ofChecked('live_calls', 'c')} left join credit_reservations r on r.call_id = c.id`,
  values: { reservation: ['r.id is not null', 'true'] },
})

const packCredits = `case pack ${Object.entries(packs)
  .map(([name, { credits }]) => `when '${name}' then ${credits}`)
  .join(' ')} end`

/**
 * PAYG credits were never overspent, not even for a moment: an account's entries are numbered in the order in which they
 * happened, because its balances are locked when an entry gets its number.
 */
const history = differences({
  check: 'entry',
  accountId: 'e.account_id',
  subject: 'e.id',
  from: `(
      select movement.*, sum(payg_held_change) over earlier as payg_held,
        sum(payg_granted_change - payg_settled_change - payg_held_change) over earlier as payg_available
      from ${ofChecked('credit_entries', 'movement')}
      window earlier as (partition by movement.account_id order by id)
    ) e`,
  values: {
    'payg held until then': ['e.payg_held', 'greatest(e.payg_held, 0)'],
    'payg available then': ['e.payg_available', 'greatest(e.payg_available, 0)'],
    'granted credits of its pack': ['e.payg_granted_change', `coalesce(${packCredits}, 0)`],
  },
})

const everything = sql.raw<Difference>([balances, reservations, jobs, calls, openCalls, history].join('\n  union all'))

/**
 * How many accounts are looked at with one statement: few, so that no statement holds the database for long, nor meets
 * its time limit: some 8 µs a reservation.
 */
const batchSize = 5

/** The differences of some accounts, in one statement and so as of one moment. @param limit the most that are given. */
export async function verifyAccounts(
  executor: Executor,
  accountIds: readonly string[],
  limit = 100,
): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with checked as (select unnest(${[...accountIds]}::uuid[]) as account_id) ${everything}
    limit ${limit}`.execute(executor)
  return rows
}

/**
 * Recomputes every balance of every account from its entries and checks every rule of the ledger, while the service runs
 * or not. All the work is the database's: memory is bounded, however large the ledger is.
 * @param limit the most differences that are given; the search ends there.
 * @returns what differs; nothing when the ledger is sound.
 */
export async function verifyLedger(executor: Executor, limit = 100): Promise<Difference[]> {
  const found: Difference[] = []
  let after = '00000000-0000-0000-0000-000000000000'
  while (found.length < limit) {
    const accounts = await executor
      .selectFrom('accounts')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .execute()
    const last = accounts.at(-1)
    if (!last) break
    after = last.id
    const batch = accounts.map((account) => account.id)
    found.push(...(await verifyAccounts(executor, batch, limit - found.length)))
  }
  return found
}
