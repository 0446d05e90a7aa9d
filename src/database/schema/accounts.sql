-- Accounts, their keys, and who is signed in at the page.

create table accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  tier text not null check (tier in ('free', 'pro', 'max')),
  payg_monthly_cap integer check (payg_monthly_cap >= 0),
  created_at timestamptz not null,
  -- A deleted account keeps its row, because its ledger refers to it.
  deleted_at timestamptz,
  -- Set with the first row of account_requests, so that accounts without any share the cached answers of all others.
  has_own_view boolean not null default false,
  -- Records say whether they were corrected, also where that changed no standing.
  corrections integer not null default 0 check (corrections >= 0 and corrections <= 10000),
  -- Whether detection must be surer of what the account is shown than of what others are (src/requests/views/strictness.ts).
  is_strict boolean not null default false,
  -- Up to which request, in the order of ids, its classes follow from that; null: all do. The nil UUID: it waits until others have ended.
  reclassified_to uuid
);
-- Read with every page that is stored.
create index accounts_strict on accounts (id) where is_strict;

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  name text not null,
  hash text not null unique,
  hint text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  scope text not null default 'manage' check (scope in ('feedback', 'read', 'collect', 'manage')),
  expires_at timestamptz,
  monthly_credits integer check (monthly_credits >= 0),
  -- The key that made it; null: the operator, or a session that no key opened.
  made_by uuid,
  -- The keys with a budget that made it, and that made those: what it spends counts in their budgets, too.
  bearers uuid[] not null default '{}'
);
create index api_keys_account on api_keys (account_id);
create index api_keys_maker on api_keys (made_by) where made_by is not null;

-- A dashboard session of an account, or of the operator when account_id is null. It ends with the key that opened it.
create table sessions (
  id uuid primary key default gen_random_uuid(),
  token_hash text not null unique,
  account_id uuid references accounts,
  api_key_id uuid references api_keys,
  admin_key_hash text,
  -- The link that opened it, which is no row any more.
  link_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz not null,
  constraint sessions_check check (num_nonnulls(api_key_id, admin_key_hash) = 1),
  constraint sessions_check1 check (account_id is not null or api_key_id is null)
);
create index sessions_account on sessions (account_id, last_used_at desc);
create index sessions_idle on sessions (last_used_at);
create index sessions_key on sessions (api_key_id);

-- Unused links only: using one deletes its row.
create table sign_in_links (
  id uuid primary key default gen_random_uuid(),
  token_hash text not null unique,
  account_id uuid not null references accounts,
  -- What made it, on which the session will depend: an API key, or the admin key of the operator or of the maker's session.
  api_key_id uuid references api_keys,
  admin_key_hash text,
  person_name text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint sign_in_links_check check (num_nonnulls(api_key_id, admin_key_hash) = 1)
);
create index sign_in_links_account on sign_in_links (account_id, created_at);
create index sign_in_links_expired on sign_in_links (expires_at);

-- For whom the link was made that opened a session. It stays after the session, so that what was done in it still has a name.
create table session_people (
  session_id uuid primary key,
  account_id uuid not null references accounts,
  person_name text not null,
  signed_in_at timestamptz not null
);
create index session_people_account on session_people (account_id, signed_in_at desc);
