/** Balances, reservations and the ledger. */
export const credits: readonly string[] = [
  // The fillfactor leaves room for new row versions on the same page, so that a busy balance gets HOT updates.
  // latest_month is the latest month with any booking; month is an earlier one after a clock was set back.
  `create table credit_balances (
    account_id uuid primary key references accounts,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    pool_held integer not null default 0 check (pool_held >= 0),
    pool_settled integer not null default 0 check (pool_settled >= 0),
    payg_balance integer not null default 0 check (payg_balance >= 0),
    payg_held integer not null default 0 check (payg_held between 0 and payg_balance),
    payg_month_used integer not null default 0 check (payg_month_used >= 0),
    latest_pool_part integer not null default 0 check (latest_pool_part >= 0),
    latest_month text not null check (latest_month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    check (month <= latest_month)
  ) with (fillfactor = 50)`,
  `create table credit_reservations (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references credit_balances,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    operation text not null check (operation in ('scrape', 'expand', 'realtime')),
    job_id uuid unique references scrape_jobs,
    call_id uuid unique,
    pool_part integer not null check (pool_part >= 0),
    payg_part integer not null check (payg_part >= 0),
    state text not null default 'open' check (state in ('open', 'closed')),
    settled integer not null default 0,
    created_at timestamptz not null,
    closed_at timestamptz,
    check (pool_part + payg_part > 0),
    check (settled between 0 and pool_part + payg_part),
    check ((operation = 'scrape') = (job_id is not null)),
    check (num_nonnulls(job_id, call_id) = 1),
    check ((state = 'closed') = (closed_at is not null)),
    check (state = 'closed' or settled = 0)
  )`,
  'create index credit_reservations_account on credit_reservations (account_id)',
  `create table credit_entries (
    id bigint generated always as identity primary key,
    account_id uuid not null references credit_balances,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    kind text not null check (kind in ('reserve', 'settle', 'release', 'grant')),
    operation text not null check (operation in ('scrape', 'expand', 'realtime', 'pack')),
    cause text not null,
    pack text,
    reservation_id uuid references credit_reservations,
    pool_held_change integer not null default 0,
    pool_settled_change integer not null default 0,
    payg_held_change integer not null default 0,
    payg_settled_change integer not null default 0,
    payg_granted_change integer not null default 0,
    created_at timestamptz not null,
    unique (reservation_id, kind),
    check ((kind = 'grant') = (operation = 'pack')),
    check ((kind = 'grant') = (pack is not null)),
    check ((kind = 'grant') = (reservation_id is null)),
    check (case kind
      when 'reserve' then pool_held_change >= 0 and payg_held_change >= 0
      when 'settle' then pool_held_change <= 0 and payg_held_change <= 0
      when 'release' then pool_held_change <= 0 and payg_held_change <= 0
      else pool_held_change = 0 and payg_held_change = 0 end),
    check (pool_settled_change = case kind when 'settle' then -pool_held_change else 0 end),
    check (payg_settled_change = case kind when 'settle' then -payg_held_change else 0 end),
    check (case kind when 'grant' then payg_granted_change > 0 else payg_granted_change = 0 end)
  )`,
  'create index credit_entries_account on credit_entries (account_id, id)',
  "create index credit_entries_settled on credit_entries (account_id, created_at) where kind = 'settle'",
  `create function reject_entry_change() returns trigger language plpgsql as $$
    begin
      raise exception 'credit_entries is append-only' using errcode = 'integrity_constraint_violation';
    end
  $$`,
  `create trigger credit_entries_append_only before update or delete on credit_entries
    for each statement execute function reject_entry_change()`,
]
