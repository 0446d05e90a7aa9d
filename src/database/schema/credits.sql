-- The ledger: balances, reservations, entries, and who spends.

-- The fillfactor leaves room for new row versions on the same page, so that a busy balance gets HOT updates.
-- latest_month is the latest month with any booking; month is an earlier one after a clock was set back.
create table credit_balances (
  account_id uuid primary key references accounts,
  month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  pool_held integer not null default 0 check (pool_held >= 0),
  pool_settled integer not null default 0 check (pool_settled >= 0),
  payg_balance integer not null default 0 check (payg_balance >= 0),
  payg_held integer not null default 0,
  payg_month_used integer not null default 0 check (payg_month_used >= 0),
  latest_pool_part integer not null default 0 check (latest_pool_part >= 0),
  latest_month text not null check (latest_month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  constraint credit_balances_check check (payg_held >= 0 and payg_held <= payg_balance),
  constraint credit_balances_check1 check (month <= latest_month)
) with (fillfactor = 50);

create table credit_reservations (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references credit_balances(account_id),
  month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  operation text not null check (operation in ('scrape', 'expand', 'realtime')),
  job_id uuid unique references scrape_jobs,
  call_id uuid unique,
  pool_part integer not null check (pool_part >= 0),
  payg_part integer not null check (payg_part >= 0),
  -- Both parts are 0 for what cost nothing. pool_limit: the monthly credits of the plan, of which credits.low tells.
  pool_limit integer not null check (pool_limit > 0),
  state text not null default 'open' check (state in ('open', 'closed')),
  settled integer not null default 0,
  created_at timestamptz not null,
  closed_at timestamptz,
  -- The key that made the call, or that made the watch whose run it is; null for a call by a session that no key opened.
  key_id uuid references api_keys,
  watch_id uuid,
  -- Whether it may hold credits in months of budgets, which are settled when it is closed.
  is_bounded boolean not null default false,
  -- Who began it, by the name that a sign-in link or an access token gave; null for a key, a run of a watch and a sign-in without a name.
  person_name text,
  -- What a live call collects, of which nothing else is left when it has ended; null for a job, which has them itself.
  topic text,
  platforms text[],
  constraint credit_reservations_check1 check (settled >= 0 and (settled <= (pool_part + payg_part))),
  constraint credit_reservations_check2 check ((operation = 'scrape') = (job_id is not null)),
  constraint credit_reservations_check3 check (num_nonnulls(job_id, call_id) = 1),
  constraint credit_reservations_check4 check ((state = 'closed') = (closed_at is not null)),
  constraint credit_reservations_check5 check (state = 'closed' or settled = 0)
);
-- The use of a month or a week, by key and by watch.
create index credit_reservations_account on credit_reservations (account_id, created_at);

create table credit_entries (
  id bigint primary key generated always as identity,
  account_id uuid not null references credit_balances(account_id),
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
  -- No foreign keys: a deleted watch stays in the books.
  key_id uuid,
  watch_id uuid,
  constraint credit_entries_check check ((kind = 'grant') = (operation = 'pack')),
  constraint credit_entries_check1 check ((kind = 'grant') = (pack is not null)),
  constraint credit_entries_check2 check ((kind = 'grant') = (reservation_id is null)),
  constraint credit_entries_check3 check (
case kind
    when 'reserve' then ((pool_held_change >= 0) and (payg_held_change >= 0))
    when 'settle' then ((pool_held_change <= 0) and (payg_held_change <= 0))
    when 'release' then ((pool_held_change <= 0) and (payg_held_change <= 0))
    else ((pool_held_change = 0) and (payg_held_change = 0))
end),
  constraint credit_entries_check4 check ((pool_settled_change =
case kind
    when 'settle' then (- pool_held_change)
    else 0
end)),
  constraint credit_entries_check5 check ((payg_settled_change =
case kind
    when 'settle' then (- payg_held_change)
    else 0
end)),
  constraint credit_entries_check6 check (
case kind
    when 'grant' then (payg_granted_change > 0)
    else (payg_granted_change = 0)
end),
  constraint credit_entries_reservation_id_kind_key unique (reservation_id, kind)
);
create index credit_entries_account on credit_entries (account_id, id);
create index credit_entries_settled on credit_entries (account_id, created_at) where kind = 'settle';

-- What was held and settled in a month by the runs of a watch (watch), and by a key with a budget together with the keys that it
-- made (key_budget). Derived from the entries.
create table spender_months (
  account_id uuid not null references accounts,
  month text not null,
  kind text not null check (kind in ('key_budget', 'watch')),
  spender_id uuid not null,
  held integer not null default 0 check (held >= 0),
  settled integer not null default 0 check (settled >= 0),
  primary key (account_id, month, kind, spender_id)
);

-- Each threshold of settled credits alerts once a month.
create table credit_alerts (
  account_id uuid not null references accounts,
  month text not null,
  percent smallint not null,
  primary key (account_id, month, percent)
);

create function reject_entry_change() returns trigger language plpgsql as $$
  begin
    raise exception 'credit_entries is append-only' using errcode = 'integrity_constraint_violation';
  end
$$;
create trigger credit_entries_append_only before delete or update on credit_entries
  for each statement execute function reject_entry_change();
