/**
 * A function that selects at most `max_rows` requests by an index. It turns `enable_seqscan` off because the planner would scan a
 * large table for a value that its statistics call frequent, and may read all of it before it finds enough rows.
 */
const selectiveFilter = (name: string, argument: string, condition: string) => `
  create function ${name}(${argument} text[], max_rows integer) returns setof uuid language plpgsql stable rows 1000
  set enable_seqscan = off as $$
    begin
      return query execute 'select id from requests where ${condition} limit $2' using ${argument}, max_rows;
    end
  $$`

/** Requests, their searched texts and vocabulary, and the suppression list. */
export const requests: readonly string[] = [
  `create table requests (
    id uuid primary key default gen_random_uuid(),
    platform text not null,
    source_id text not null,
    title text not null,
    description text not null,
    votes integer not null,
    tags text[] not null,
    comment_count integer,
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
    unique (platform, source_id)
  )`,
  'create index requests_new on requests (posted_at desc, id desc)',
  'create index requests_top on requests (votes desc, id desc)',
  'create index requests_tags on requests using gin (tags)',
  'create index requests_refreshed on requests (platform, greatest(updated_at, seen_at))',
  `create table request_texts (
    request_id uuid primary key references requests on delete cascade,
    text text not null
  )`,
  // Stems but keeps stop words: callers drop them from a query unless nothing else is left ("to be or not to be").
  'create text search dictionary wishwell_stem (template = snowball, language = english)',
  'create text search configuration wishwell (copy = pg_catalog.english)',
  'alter text search configuration wishwell alter mapping replace pg_catalog.english_stem with wishwell_stem',

  // The number of requests per word. The counts change with every stored page: the fillfactor leaves room for HOT updates, and no
  // index contains a count. `frequent` changes seldom, so an index may contain it.
  `create table search_words (
    word text collate "C" primary key,
    requests integer not null,
    frequent boolean not null generated always as (requests >= 16) stored
  ) with (fillfactor = 70)`,
  // For short prefixes, which too many rare words share.
  'create index search_words_frequent on search_words (word) where frequent',

  selectiveFilter('requests_with_tags', 'tags', 'tags @> $1'),
  selectiveFilter('requests_on_platforms', 'platforms', 'platform = any($1)'),

  // Requests and authors that must never be stored again, as hashes only.
  `create table suppressions (
    hash text not null,
    purge_id uuid not null,
    kind text not null check (kind in ('id', 'url', 'handle', 'name', 'profile')),
    named boolean not null,
    created_at timestamptz not null,
    primary key (hash, purge_id)
  )`,
  'create index suppressions_purge on suppressions (purge_id)',
]
