/** Sources that accounts name in their jobs, such as a repository or a forum category. */
export const sources: readonly string[] = [
  // What the caller named, normalised, by platform; null: the sources of the operator.
  'alter table scrape_jobs add column sources jsonb',
  'alter table scrape_tasks add column sources text[]',
  // How many items of the fetched pages were left out, by reason.
  "alter table scrape_tasks add column discarded jsonb not null default '{}'",
  // New requests of the class maybe; requests_created counts the likely ones.
  'alter table scrape_tasks add column maybe_created integer not null default 0',

  `create table account_sources (
    account_id uuid not null references accounts,
    platform text not null,
    source text not null,
    named_at timestamptz not null,
    primary key (platform, source, account_id)
  )`,
  'create index account_sources_account on account_sources (account_id, named_at)',
  // Only of unlisted requests: the sources in which they were found.
  `create table request_sources (
    platform text not null,
    source text not null,
    request_id uuid not null references requests on delete cascade,
    primary key (platform, source, request_id)
  )`,
  'create index request_sources_request on request_sources (request_id)',
]
