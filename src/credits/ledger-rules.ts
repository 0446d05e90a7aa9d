import { endless } from '../accounts/plans.ts'

/** The pool of an unmetered service, which alone may reserve nothing. */
const isUnmetered = `coalesce(r.pool_limit = ${endless}, false)`

export interface Difference {
  accountId: string
  /** The compared value, e.g. `balance: pool_held`. */
  check: string
  /** Id of the reservation, job, call or entry; for a balance, of the account. */
  subject: string
  stored: string | null
  expected: string | null
}

interface Comparison {
  check: string
  accountId: string
  subject: string
  /** SQL FROM clause over `checked`, the accounts to verify. */
  from: string
  /** SQL of stored and expected values, by name. */
  values: Record<string, [stored: string, expected: string]>
}

/** SQL with one row per wrong value; skips sound rows before expanding them. */
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

/** Rows of the accounts to verify. `offset 0` keeps an unanalyzed database from joining the whole table. */
const ofChecked = (table: string, alias: string) =>
  `checked cross join lateral (select * from ${table} where account_id = checked.account_id offset 0) ${alias}`

const sumOf = (column: string, condition = 'true') => `coalesce(sum(${column}) filter (where ${condition}), 0)`

/** Balances are the sums of their entries; held credits are those of open reservations. */
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

/** Entries match their reservation: all held while open, all settled or released once closed. */
const reservations = differences({
  check: 'reservation',
  accountId: 'r.account_id',
  subject: 'r.id',
  from: `(
      select checked.account_id, r.id, r.month, r.created_at, r.key_id, r.watch_id, r.state, r.pool_part, r.payg_part, r.settled,
        ${sumOf('e.pool_held_change', "e.kind = 'reserve'")} as pool_reserved,
        ${sumOf('e.payg_held_change', "e.kind = 'reserve'")} as payg_reserved,
        ${sumOf('e.pool_held_change')} as pool_held, ${sumOf('e.payg_held_change')} as payg_held,
        ${sumOf('e.pool_settled_change')} as pool_settled, ${sumOf('e.payg_settled_change')} as payg_settled,
        count(e.id) filter (where (e.month, e.operation, e.cause, e.key_id, e.watch_id) is distinct from
          (r.month, r.operation, coalesce(r.job_id, r.call_id)::text, r.key_id, r.watch_id)) as strangers
      from ${ofChecked('credit_reservations', 'r')}
      left join (select movement.* from ${ofChecked('credit_entries', 'movement')}) e on e.reservation_id = r.id
      group by checked.account_id, r.id, r.month, r.created_at, r.key_id, r.watch_id, r.state, r.pool_part, r.payg_part, r.settled
    ) r join credit_balances b on b.account_id = r.account_id`,
  values: {
    'pool reserved': ['r.pool_part', 'r.pool_reserved'],
    'payg reserved': ['r.payg_part', 'r.payg_reserved'],
    'pool held': ["case r.state when 'open' then r.pool_part else 0 end", 'r.pool_held'],
    'payg held': ["case r.state when 'open' then r.payg_part else 0 end", 'r.payg_held'],
    'pool settled': ['least(r.settled, r.pool_part)', 'r.pool_settled'],
    'payg settled': ['r.settled - least(r.settled, r.pool_part)', 'r.payg_settled'],
    'entries of another month, cause, key or watch': ['r.strangers', '0'],
    // Reports of a month by time match what is booked in it.
    'month is that of its moment': ["r.month = to_char(r.created_at at time zone 'UTC', 'YYYY-MM')", 'true'],
    'month is not after the latest of the balances': ['r.month <= b.latest_month', 'true'],
  },
})

/** A platform disabled from the start has no reserved credits: its task was skipped. */
const isCharged = "not (state = 'skipped' and error_code = 'not_configured' and started_at is null)"

/** Closes exactly with its job, for the stored pages. Without enabled platforms there is none. */
const jobs = differences({
  check: 'job',
  accountId: 'j.account_id',
  subject: 'j.id',
  from: `${ofChecked('scrape_jobs', 'j')} left join credit_reservations r on r.job_id = j.id
    cross join lateral (
      select count(*) filter (where ${isCharged}) as tasks, bool_and(not (${isCharged})) as is_free, count(*) filter (where state in ('pending', 'running')) as unfinished,
        coalesce(sum(pages), 0) as pages
      from scrape_tasks where job_id = j.id
    ) tasks`,
  values: {
    account: ['r.account_id', 'case when tasks.is_free then null else j.account_id end'],
    reserved: [
      'r.pool_part + r.payg_part',
      `case when tasks.is_free then null when ${isUnmetered} then 0 else j.depth * tasks.tasks end`,
    ],
    'state of its reservation': [
      'r.state',
      "case when tasks.is_free then null when tasks.unfinished = 0 then 'closed' else 'open' end",
    ],
    settled: [
      'r.settled',
      `case when tasks.is_free then null when tasks.unfinished = 0 and not ${isUnmetered} then tasks.pages else 0 end`,
    ],
  },
})

/** Open exactly as long as its call, else credits stay held forever; holds the price (`PRICING`). */
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

/** A running call has a reservation. */
const openCalls = differences({
  check: 'call',
  accountId: 'c.account_id',
  subject: 'c.id',
  from: `${ofChecked('live_calls', 'c')} left join credit_reservations r on r.call_id = c.id`,
  values: { reservation: ['r.id is not null', 'true'] },
})

/** PAYG was never overspent. Entry numbers follow booking order: they are given under the balances' lock. */
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
  },
})

/** A watch's or budgeted key's monthly use is the sum of its entries, and within the key's budget. */
const spenders = differences({
  check: 'spender',
  accountId: 'm.account_id',
  subject: 'm.spender_id',
  from: `(
      select coalesce(b.account_id, s.account_id) as account_id, coalesce(b.id, s.spender_id) as spender_id, s.kind,
        s.held, s.settled, coalesce(b.held, 0) as booked_held, coalesce(b.settled, 0) as booked_settled
      from (
        select e.account_id, e.month, spender.kind, spender.id, sum(e.held) as held, sum(e.settled) as settled
        from (
          select movement.account_id, movement.month, movement.key_id, movement.watch_id,
            sum(pool_held_change + payg_held_change) as held, sum(pool_settled_change + payg_settled_change) as settled
          from ${ofChecked('credit_entries', 'movement')} group by 1, 2, 3, 4
        ) e cross join lateral (
          select 'key_budget' as kind, bearer.id
          from api_keys as own cross join lateral unnest(array_append(own.bearers, own.id)) as bearing (id)
            join api_keys as bearer on bearer.id = bearing.id
          where own.id = e.key_id and bearer.monthly_credits is not null
          union all
          select 'watch', e.watch_id where e.watch_id is not null
        ) spender group by 1, 2, 3, 4
      ) b full join (select stored.* from ${ofChecked('spender_months', 'stored')}) s
        on (s.account_id, s.month, s.kind, s.spender_id) = (b.account_id, b.month, b.kind, b.id)
    ) m left join api_keys k on m.kind = 'key_budget' and k.id = m.spender_id`,
  values: {
    held: ['m.held', 'm.booked_held'],
    settled: ['m.settled', 'm.booked_settled'],
    'within its budget': [
      'm.held + m.settled > k.monthly_credits',
      'case when k.monthly_credits is not null then false end',
    ],
  },
})

/** The ledger's rules, as queries with one row per violation. */
export const ledgerRules: readonly string[] = [balances, reservations, jobs, calls, openCalls, history, spenders]
