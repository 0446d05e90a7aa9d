import { tellOf } from './notify.ts'

/**
 * A function that finds requests by an index, at most `most` of them. `enable_seqscan` leaves the planner no other way: it
 * would read a large table from its beginning for what it believes to be frequent, and may stand at its end.
 */
const finding = (name: string, argument: string, condition: string) => `
  create function ${name}(${argument} text[], most integer) returns setof uuid language plpgsql stable rows 1000
  set enable_seqscan = off as $$
    begin
      return query execute 'select id from requests where ${condition} limit $2' using ${argument}, most;
    end
  $$`

/** Requests, what searches read of them, and what must not be stored again. */
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

  // How many requests have each word. The counts change with every page: room is left on the pages of the table so that they
  // change in place, and no index knows of them. Whether a word is frequent changes seldom.
  `create table search_words (
    word text collate "C" primary key,
    requests integer not null,
    frequent boolean not null generated always as (requests >= 16) stored
  ) with (fillfactor = 70)`,
  // For short beginnings, which rare words would make long lists of.
  'create index search_words_frequent on search_words (word) where frequent',

  finding('requests_with_tags', 'asked', 'tags @> $1'),
  finding('requests_on_platforms', 'asked', 'platform = any($1)'),

  // What must never be stored again, as hashes only.
  `create table suppressions (
    hash text not null,
    purge_id uuid not null,
    kind text not null check (kind in ('id', 'url', 'handle', 'name', 'profile')),
    named boolean not null,
    created_at timestamptz not null,
    primary key (hash, purge_id)
  )`,
  'create index suppressions_purge on suppressions (purge_id)',

  // Once a statement, whether or not it changed a row; Postgres tells equal notifications of a transaction once, at its commit.
  `create function tell_of_requests() returns trigger language plpgsql as $$
  begin
    perform pg_notify('wishwell_requests', '');
    return null;
  end $$`,
  tellOf('requests'),
]
