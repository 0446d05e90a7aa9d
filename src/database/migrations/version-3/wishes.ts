/**
 * Wishes: sets of requests that ask for the same. A request without a row in wish_members is a wish of its own, whose id is the id of
 * the request.
 */
export const wishes: readonly string[] = [
  // The numbers are those of its likely members in the shared view; triggers maintain them (decision 042).
  `create table wishes (
    id uuid primary key,
    created_at timestamptz not null default now(),
    requests integer not null default 0,
    votes bigint not null default 0,
    platforms text[] not null default '{}',
    first_asked_at timestamptz,
    last_asked_at timestamptz,
    status text,
    -- The member whose title is shown. No foreign key: triggers choose another one when it goes.
    top_request_id uuid
  )`,
  'create index wishes_top on wishes (votes desc, id desc) where requests > 0',
  'create index wishes_large on wishes (requests desc, id desc) where requests > 0',
  'create index wishes_new on wishes (first_asked_at desc, id desc) where requests > 0',

  `create table wish_members (
    request_id uuid primary key references requests on delete cascade,
    wish_id uuid not null references wishes on delete cascade,
    -- New members are compared with the core.
    is_core boolean not null default false,
    -- How alike it was to the core when it joined, 0 to 1; null where a person put it here.
    similarity real,
    joined_at timestamptz not null default now()
  )`,
  'create index wish_members_wish on wish_members (wish_id, request_id)',

  // Requests that were not placed yet, or are to be placed again. claimed_until: a process places it until then.
  `create table wish_queue (
    request_id uuid primary key references requests on delete cascade,
    queued_at timestamptz not null default now(),
    claimed_until timestamptz
  )`,

  // How an account sees the membership of a request differently: the wish of the request in its view …
  `create table account_wish_members (
    account_id uuid not null references accounts,
    request_id uuid not null references requests on delete cascade,
    wish_id uuid not null,
    correction_id uuid not null,
    primary key (account_id, request_id)
  )`,
  'create index account_wish_members_wish on account_wish_members (account_id, wish_id)',
  'create index account_wish_members_request on account_wish_members (request_id)',
  // … and wishes that it merged: all members of wish_id, also later ones, are in into_wish_id. Never a chain.
  `create table account_wish_merges (
    account_id uuid not null references accounts,
    wish_id uuid not null,
    into_wish_id uuid not null,
    correction_id uuid not null,
    primary key (account_id, wish_id)
  )`,
  'create index account_wish_merges_into on account_wish_merges (account_id, into_wish_id)',
  'create index account_wish_merges_wish on account_wish_merges (wish_id)',
  // The numbers of each wish that an account sees differently; 0 requests hides it. Derived from the tables above and account_requests.
  `create table account_wishes (
    account_id uuid not null references accounts,
    wish_id uuid not null,
    requests integer not null,
    votes bigint not null,
    platforms text[] not null,
    first_asked_at timestamptz,
    last_asked_at timestamptz,
    status text,
    top_request_id uuid,
    primary key (account_id, wish_id)
  )`,
  'create index account_wishes_wish on account_wishes (wish_id)',

  // What people did: merges and splits, by an account, or for all by the operator (account_id null). Durable; undone_at takes it back.
  `create table wish_corrections (
    id uuid primary key default gen_random_uuid(),
    account_id uuid references accounts,
    kind text not null check (kind in ('merge', 'split')),
    -- The key or the session that made it: 'key <id>', 'session <id>' or 'admin'.
    made_by text not null,
    created_at timestamptz not null,
    undone_at timestamptz,
    undone_by text
  )`,
  'create index wish_corrections_account on wish_corrections (account_id, created_at desc, id desc)',
  // The requests that it moved, by the hash of their id on their platform (store/identity.ts): it survives expiry and applies again.
  `create table wish_moves (
    correction_id uuid not null references wish_corrections on delete cascade,
    source_hash text not null,
    from_wish_id uuid not null,
    to_wish_id uuid not null,
    primary key (correction_id, source_hash)
  )`,
  'create index wish_moves_hash on wish_moves (source_hash)',
  // Pairs of requests that are not the same: never joined by placing. The smaller hash is the first.
  `create table wish_partings (
    correction_id uuid not null references wish_corrections on delete cascade,
    account_id uuid references accounts,
    one_hash text not null,
    other_hash text not null,
    primary key (correction_id, one_hash, other_hash)
  )`,
  'create index wish_partings_one on wish_partings (one_hash)',
  'create index wish_partings_other on wish_partings (other_hash)',

  // An account's own remarks on a wish.
  `create table wish_marks (
    account_id uuid not null references accounts,
    wish_id uuid not null,
    mark text check (mark in ('planned', 'done', 'ignored')),
    starred boolean not null default false,
    note text not null default '',
    made_by text not null,
    updated_at timestamptz not null,
    primary key (account_id, wish_id)
  )`,
  'create index wish_marks_list on wish_marks (account_id, mark)',

  'insert into wish_queue (request_id) select id from requests where standing = 2',
]
