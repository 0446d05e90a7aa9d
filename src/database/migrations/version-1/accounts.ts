/** Accounts, their keys, and who is signed in at the dashboard. */
export const accounts: readonly string[] = [
  `create table accounts (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    tier text not null check (tier in ('free', 'pro', 'max')),
    payg_monthly_cap integer check (payg_monthly_cap >= 0),
    created_at timestamptz not null,
    -- A deleted account keeps its row, because its ledger refers to it.
    deleted_at timestamptz
  )`,
  `create table api_keys (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts,
    name text not null,
    hash text not null unique,
    hint text not null,
    created_at timestamptz not null,
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  'create index api_keys_account on api_keys (account_id)',

  // A dashboard session of an account, or of the operator when account_id is null. It ends with the key that opened it.
  `create table sessions (
    id uuid primary key default gen_random_uuid(),
    token_hash text not null unique,
    account_id uuid references accounts,
    api_key_id uuid references api_keys,
    admin_key_hash text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    last_used_at timestamptz not null,
    check (num_nonnulls(api_key_id, admin_key_hash) = 1),
    check (account_id is not null or api_key_id is null)
  )`,
  'create index sessions_account on sessions (account_id, last_used_at desc)',
  'create index sessions_idle on sessions (last_used_at)',
  'create index sessions_key on sessions (api_key_id)',

  // Unused links only: using one deletes its row.
  `create table sign_in_links (
    id uuid primary key default gen_random_uuid(),
    token_hash text not null unique,
    account_id uuid not null references accounts,
    admin_key_hash text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  'create index sign_in_links_account on sign_in_links (account_id, created_at)',
  'create index sign_in_links_expired on sign_in_links (expires_at)',
]
