-- Requests with their texts and vocabulary, what people and a model said about them, and the suppression list.

-- Stems but keeps stop words: callers drop them from a query unless nothing else is left ("to be or not to be").
create text search dictionary wishwell_stem (template = snowball, language = english);
create text search configuration wishwell (copy = pg_catalog.english);
alter text search configuration wishwell alter mapping replace pg_catalog.english_stem with wishwell_stem;

create table requests (
  id uuid primary key default gen_random_uuid(),
  platform text not null,
  source_id text not null,
  title text not null,
  description text not null,
  votes integer not null,
  tags text[] not null,
  comment_count integer,
  -- How its author rates the whole product, 1 to 5.
  stars integer,
  source_url text not null,
  author_name text,
  author_handle text,
  author_profile_url text,
  license text,
  topic text not null,
  original_created_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  posted_at timestamptz not null generated always as (coalesce(original_created_at, created_at)) stored,
  -- Null until a refresh that changes nothing sees the request a day or more after updated_at.
  seen_at timestamptz,
  confidence real not null check (confidence between 0 and 1),
  -- 2 likely, 1 maybe, 0 unlikely, -1 unlisted: only the accounts that named its source see it, each as account_requests says.
  standing smallint not null default 2 check (standing >= -1 and standing <= 2),
  status text check (status in ('open', 'planned', 'in_progress', 'completed', 'declined', 'duplicate', 'closed')),
  status_changed_at timestamptz,
  -- Whether status_changed_at is when a change was observed, because the platform gives no date.
  status_observed boolean not null default false,
  -- Whether the description is only the part of the text that the platform gave.
  excerpt boolean not null default false,
  -- The repository, project, site, forum category, community or video that it was posted in.
  source_name text,
  -- The product that the source tells (src/requests/product.ts); null where it is of no single one.
  product text,
  -- By what it is told from other voices (src/requests/voices/voices.ts); without an author and a text to compare by default.
  voice bytea not null default '\x00000000000000',
  constraint requests_platform_source_id_key unique (platform, source_id)
);
create index requests_tags on requests using gin (tags);
create index requests_product on requests (product) where product is not null;
create index requests_refreshed on requests (platform, greatest(updated_at, seen_at));
-- What is new in the cache: rows come in this order, so a summary of each block range is enough.
create index requests_created on requests using brin (created_at);
-- What was done lately.
create index requests_completed on requests (status_changed_at desc) where status = 'completed';
-- What is judged next.
create index requests_top_maybe on requests (votes desc, id desc) where standing = 1;

-- Without a foreign key, as all that a page writes for each of its requests: deleteRequests() deletes it first.
create table request_texts (
  request_id uuid primary key,
  text text not null,
  words tsvector not null generated always as (to_tsvector('wishwell', text)) stored
);

-- The number of requests per word. The counts change with every stored page: the fillfactor leaves room for HOT updates, and no
-- index contains a count. `frequent` changes seldom, so an index may contain it.
create table search_words (
  word text collate "C" primary key,
  requests integer not null,
  frequent boolean not null generated always as (requests >= 16) stored
) with (fillfactor = 70);
-- For short prefixes, which too many rare words share.
create index search_words_frequent on search_words (word) where frequent;

-- Requests and authors that must never be stored again, as hashes only.
create table suppressions (
  hash text not null,
  purge_id uuid not null,
  kind text not null check (kind in ('id', 'url', 'handle', 'name', 'profile')),
  named boolean not null,
  created_at timestamptz not null,
  primary key (hash, purge_id)
);
create index suppressions_purge on suppressions (purge_id);
create index suppressions_latest on suppressions (created_at);

-- One row a request, account and difference: how the account sees a request that it sees differently from the shared view. Without foreign keys, as
-- request_sources and account_wishes, since an import writes a row of each for all of its requests: deleteRequests() and recounts delete them, and accounts stay.
create table account_requests (
  account_id uuid not null,
  request_id uuid not null,
  standing smallint not null check (standing >= 0 and standing <= 2),
  primary key (account_id, request_id)
);
create index account_requests_request on account_requests (request_id);

-- The votes of a request on the UTC days on which a refresh changed them.
create table vote_samples (
  request_id uuid not null references requests on delete cascade,
  day date not null,
  votes integer not null,
  primary key (request_id, day)
);
-- What grew lately. Without request_id: the samples of a request must be read by the primary key.
create index vote_samples_day on vote_samples (day);

-- Durable: it outlives the request, and applies again when the request is collected again. Without an account it is the operator's
-- and holds for all. The hash is that of the request's id on its platform (requests/identity.ts).
create table request_corrections (
  account_id uuid references accounts,
  platform text not null,
  source_hash text not null,
  -- Of the stored request; it is set when the request is collected again. No foreign key: the id of a deleted request belongs
  -- to no other one, so the correction stays and refers to nothing.
  request_id uuid,
  is_request boolean not null,
  -- The key or the session that made it, for audits: 'key <id>', 'session <id>' or 'admin'.
  made_by text not null,
  created_at timestamptz not null,
  constraint request_corrections_source_hash_account_id_key unique NULLS not DISTINCT (source_hash, account_id)
);
create index request_corrections_account on request_corrections (account_id, created_at);
create index request_corrections_latest on request_corrections (created_at);

-- Texts that were drawn to be corrected: only their corrections say how often a class is right, since others chose themselves. It outlives the
-- request as the correction does.
create table label_draws (
  -- Null for the operator.
  account_id uuid references accounts,
  platform text not null,
  source_hash text not null,
  -- Of the request as it was drawn. No foreign key, as in request_corrections.
  request_id uuid not null,
  -- The Monday of the week it was drawn in.
  week date not null,
  -- Its class for the owner, the confidence that this followed from, and how many texts of the class there were.
  standing smallint not null check (standing >= 0 and standing <= 2),
  confidence real not null check (confidence between 0 and 1),
  population integer not null check (population > 0),
  -- What classes were cut by, as one word.
  thresholds text not null,
  constraint label_draws_source_hash_account_id_key unique NULLS not DISTINCT (source_hash, account_id)
);
create index label_draws_account on label_draws (account_id, week);

-- The confidence that a model gave to a text of the class maybe, or that placing gave to a chore. It counts as long as the text has this hash.
create table request_judgements (
  request_id uuid primary key references requests on delete cascade,
  text_hash text not null,
  confidence real not null check (confidence between 0 and 1),
  judged_at timestamptz not null,
  -- Of a chore: the hash of its source and its title without numbers, which recurs there.
  recurring_title text
);
create index request_judgements_recurring on request_judgements (recurring_title) where recurring_title is not null;

-- Which texts were sent to the model without an answer that could be stored, and when they may be sent again. A text is claimed here
-- before it is sent, so that two processes do not send it at the same time.
create table judgement_tries (
  request_id uuid primary key references requests on delete cascade,
  text_hash text not null,
  tries integer not null check (tries > 0),
  next_try_at timestamptz not null
);

-- How many texts were sent to the model on a UTC day, by all processes.
create table judgement_days (
  day date primary key,
  judged integer not null check (judged >= 0),
  -- The same of pairs of wishes.
  pairs integer not null default 0 check (pairs >= 0)
);

create table account_sources (
  account_id uuid not null references accounts,
  platform text not null,
  source text not null,
  named_at timestamptz not null,
  primary key (platform, source, account_id)
);
create index account_sources_account on account_sources (account_id, named_at);

-- Only of unlisted requests: the sources in which they were found.
create table request_sources (
  platform text not null,
  source text not null,
  request_id uuid not null,
  primary key (platform, source, request_id)
);
create index request_sources_request on request_sources (request_id);

create table request_refreshes (
  request_id uuid primary key,
  platform text not null,
  -- What the adapter reads it by, such as a node id of GitHub.
  handle text not null,
  due_at timestamptz not null,
  checked_at timestamptz,
  -- On how many days in a row the platform did not return it.
  misses smallint not null default 0,
  missed_on date,
  -- Its claim: a process reads it again until that time.
  claimed_by uuid,
  claimed_until timestamptz
);
create index request_refreshes_due on request_refreshes (platform, due_at);

-- In the order of the ids, the rows of one request are in the order of its changes.
create table word_deltas (
  id bigint primary key generated always as identity,
  word text collate "C" not null,
  change integer not null
);
-- Readers add the rows of the words that they read.
create index word_deltas_word on word_deltas (word);

create table search_engine (
  only_row boolean primary key default true check (only_row),
  kind text not null check (kind in ('bm25', 'tsvector')),
  chosen_at timestamptz not null default now(),
  usual_length integer not null default 100 check (usual_length > 0)
);
