-- Wishes: sets of requests that ask for the same. A request without a row in wish_members is a wish by itself, with its own id.

-- Copies of the columns of requests that searches filter, order and count by: narrow rows, read by the thousand.
create table request_facets (
  request_id uuid primary key,
  platform text not null,
  status text,
  standing smallint not null,
  votes integer not null,
  posted_at timestamptz not null,
  confidence real not null,
  tags text[] not null,
  product text
) with (fillfactor = 80);
create index request_facets_new_likely on request_facets (posted_at desc, request_id desc) where standing = 2;
create index request_facets_new_other on request_facets (posted_at desc, request_id desc) where standing <> 2;
create index request_facets_top_likely on request_facets (votes desc, request_id desc) where standing = 2;
create index request_facets_top_other on request_facets (votes desc, request_id desc) where standing <> 2;

-- Requests of large imports whose searched texts are not written yet: until then no search by words finds them, and they are in no wish of others.
create table unwritten_texts (
  request_id uuid primary key
);

-- Listed texts whose words the vocabulary does not count yet: a maintenance job counts them in slices.
create table uncounted_texts (
  request_id uuid primary key
);

-- The numbers are those of its likely members in the shared view, counted by recount_wishes(). Of a wish with public members all but `platforms` and
-- the own ones are of these alone; imported requests are the own ones.
create table wishes (
  id uuid primary key,
  created_at timestamptz not null default now(),
  requests integer not null default 0,
  votes bigint not null default 0,
  own_requests integer not null default 0,
  own_votes bigint not null default 0,
  platforms text[] not null default '{}',
  first_asked_at timestamptz,
  last_asked_at timestamptz,
  status text,
  -- The member whose title is shown. No foreign key: another one is chosen when it goes.
  top_request_id uuid
);
create index wishes_top on wishes (votes desc, id desc) where requests + own_requests > 0;
create index wishes_large on wishes (requests desc, id desc) where requests + own_requests > 0;
create index wishes_new on wishes (first_asked_at desc, id desc) where requests + own_requests > 0;

create table wish_members (
  request_id uuid primary key references requests on delete cascade,
  wish_id uuid not null references wishes on delete cascade,
  -- New members are compared with the core.
  is_core boolean not null default false,
  -- How alike it was to the core when it joined, 0 to 1; null where a person put it here.
  similarity real,
  joined_at timestamptz not null default now()
);
create index wish_members_wish on wish_members (wish_id, request_id);

-- Requests that were not placed yet, or are to be placed again. Its claim: a process places it until that time.
create table wish_queue (
  request_id uuid primary key,
  queued_at timestamptz not null default now(),
  claimed_by uuid,
  claimed_until timestamptz
);
create index wish_queue_next on wish_queue (queued_at desc, request_id);

-- How an account sees the membership of a request differently: the wish of the request in its view …
create table account_wish_members (
  account_id uuid not null references accounts,
  request_id uuid not null references requests on delete cascade,
  wish_id uuid not null,
  correction_id uuid not null,
  primary key (account_id, request_id)
);
create index account_wish_members_wish on account_wish_members (account_id, wish_id);
create index account_wish_members_request on account_wish_members (request_id);

-- … and wishes that it merged: all members of wish_id, also later ones, are in into_wish_id. Never a chain.
create table account_wish_merges (
  account_id uuid not null references accounts,
  wish_id uuid not null,
  into_wish_id uuid not null,
  correction_id uuid not null,
  primary key (account_id, wish_id)
);
create index account_wish_merges_into on account_wish_merges (account_id, into_wish_id);
create index account_wish_merges_wish on account_wish_merges (wish_id);

-- The numbers of each wish that an account sees differently; 0 requests and own ones hide it. Derived from the tables above and account_requests.
create table account_wishes (
  account_id uuid not null,
  wish_id uuid not null,
  requests integer not null,
  votes bigint not null,
  own_requests integer not null,
  own_votes bigint not null,
  platforms text[] not null,
  first_asked_at timestamptz,
  last_asked_at timestamptz,
  status text,
  top_request_id uuid,
  primary key (account_id, wish_id)
);
create index account_wishes_wish on account_wishes (wish_id);
create index account_wishes_top on account_wishes (account_id, votes desc, wish_id desc) where requests + own_requests > 0;
create index account_wishes_large on account_wishes (account_id, requests desc, wish_id desc) where requests + own_requests > 0;
create index account_wishes_new on account_wishes (account_id, first_asked_at desc, wish_id desc) where requests + own_requests > 0;

-- What people did: merges and splits, by an account, or for all by the operator (account_id null). Durable; undone_at takes it back.
create table wish_corrections (
  id uuid primary key default gen_random_uuid(),
  account_id uuid references accounts,
  kind text not null check (kind in ('merge', 'split', 'part', 'skip')),
  -- Who made it: 'key <id>', 'session <id>', 'admin' or 'model'.
  made_by text not null,
  created_at timestamptz not null,
  undone_at timestamptz,
  undone_by text,
  -- In which order corrections are applied; the clocks of two processes may differ.
  sequence bigint not null generated always as identity,
  -- A merge puts the requests of from_wish_id into to_wish_id; a split takes requests out of from_wish_id into the new to_wish_id. `part` says that
  -- two wishes are not the same, `skip` that nobody is asked again whether they are.
  from_wish_id uuid not null,
  to_wish_id uuid not null
);
create index wish_corrections_account on wish_corrections (account_id, created_at desc, id desc);
create index wish_corrections_latest on wish_corrections (created_at);
create index wish_corrections_list on wish_corrections (account_id, sequence desc);
create index wish_corrections_from on wish_corrections (from_wish_id) where kind = 'merge' and undone_at is null;
create index wish_corrections_to on wish_corrections (to_wish_id) where kind = 'merge' and undone_at is null;
create index wish_corrections_answered on wish_corrections (from_wish_id) where kind in ('part', 'skip') and undone_at is null;

-- The requests that it moved, by the hash of their id on their platform (requests/store/identity.ts): it survives expiry and applies again.
create table wish_moves (
  correction_id uuid not null references wish_corrections on delete cascade,
  source_hash text not null,
  from_wish_id uuid not null,
  to_wish_id uuid not null,
  primary key (correction_id, source_hash)
);
create index wish_moves_hash on wish_moves (source_hash);

-- Pairs of requests that are not the same: never joined by placing, and in no suggestion. The smaller hash is the first.
create table wish_partings (
  correction_id uuid not null references wish_corrections on delete cascade,
  account_id uuid references accounts,
  one_hash text not null,
  other_hash text not null,
  -- Of `skip`: only in no suggestion.
  is_skipped boolean not null default false,
  primary key (correction_id, one_hash, other_hash)
);
create index wish_partings_one on wish_partings (one_hash);
create index wish_partings_other on wish_partings (other_hash);

-- Pairs of requests that placing compared, whose wishes may be the same. Whether a view still asks about one depends on its wishes and corrections.
create table wish_suggestions (
  suggestion_id uuid primary key default gen_random_uuid(),
  -- The smaller id is the first.
  one_id uuid not null references requests on delete cascade,
  other_id uuid not null references requests on delete cascade,
  -- One of the two: placed again, it takes back the pairs that it found, and no others.
  found_by uuid not null,
  -- 0 to 1.
  similarity real not null,
  -- The similarity times the votes of both wishes, half of it for requests of one day; it follows the votes within minutes.
  priority real not null,
  -- What a model said of the texts; null while it was not asked.
  judged_same boolean,
  -- A process asks it until then.
  claimed_until timestamptz,
  constraint wish_suggestions_pair unique (one_id, other_id)
) with (fillfactor = 80);
create index wish_suggestions_first on wish_suggestions (priority desc, suggestion_id desc);
create index wish_suggestions_other on wish_suggestions (other_id);
create index wish_suggestions_unjudged on wish_suggestions (priority desc, suggestion_id desc) where judged_same is null;

-- An account's own remarks on a wish.
create table wish_marks (
  account_id uuid not null references accounts,
  wish_id uuid not null,
  mark text check (mark in ('planned', 'done', 'ignored')),
  starred boolean not null default false,
  note text not null default '',
  owner text not null default '',
  made_by text not null,
  updated_at timestamptz not null,
  primary key (account_id, wish_id)
);
create index wish_marks_list on wish_marks (account_id, mark);
create index wish_marks_wish on wish_marks (wish_id);

-- Lists of wishes that an account keeps under a name.
create table saved_views (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  name text not null,
  view jsonb not null,
  -- The list begins so many days before it is read, today included. A view with a day of its own has none.
  period_days integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint saved_views_name unique (account_id, name)
);

-- Derived from the corrections that hold: the wish that each corrected request belongs to, for an account, or for all (null). By the
-- hash of its id on its platform, so that it holds again after expiry.
create table wish_placings (
  account_id uuid references accounts,
  source_hash text not null,
  -- Of the stored request; it is set when the request is collected again. No foreign key, as in request_corrections.
  request_id uuid not null,
  wish_id uuid not null,
  -- A split names the request itself; a merge names its wish, and the request is only a member of it.
  is_split boolean not null,
  correction_id uuid not null,
  constraint wish_placings_source_hash_account_id_key unique NULLS not DISTINCT (source_hash, account_id)
);
create index wish_placings_wish on wish_placings (wish_id);
