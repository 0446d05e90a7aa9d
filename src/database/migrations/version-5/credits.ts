/** Who spends: the key and the watch of each booking, their use of a month, and which alerts of a month were given. */
export const credits: readonly string[] = [
  // The key that made the call, or that made the watch whose run it is; null for a call by a session that no key opened.
  `alter table credit_reservations add column key_id uuid references api_keys, add column watch_id uuid,
    -- Whether it may hold credits in months of budgets, which are settled when it is closed.
    add column is_bounded boolean not null default false`,
  // The use of a month, by key.
  'drop index credit_reservations_account',
  'create index credit_reservations_account on credit_reservations (account_id, month)',
  // No foreign keys: a deleted watch stays in the books.
  'alter table credit_entries add column key_id uuid, add column watch_id uuid',
  // What was held and settled in a month by the runs of a watch (watch), and by a key with a budget together with the keys that it
  // made (key_budget). Derived from the entries.
  `create table spender_months (
    account_id uuid not null references accounts,
    month text not null,
    kind text not null check (kind in ('key_budget', 'watch')),
    spender_id uuid not null,
    held integer not null default 0 check (held >= 0),
    settled integer not null default 0 check (settled >= 0),
    primary key (account_id, month, kind, spender_id)
  )`,
  // Each threshold of settled credits alerts once a month.
  `create table credit_alerts (
    account_id uuid not null references accounts,
    month text not null,
    percent smallint not null,
    primary key (account_id, month, percent)
  )`,
]
