/**
 * New columns of requests. Every default is a constant, so no row is rewritten: a maintenance job fills them in slices. Until then
 * a request of version 1 has no confidence and counts as likely, as it did.
 */
export const requests: readonly string[] = [
  // Null until a maintenance job has judged a request of version 1.
  'alter table requests add column confidence real check (confidence between 0 and 1)',
  // 2 likely, 1 maybe, 0 unlikely, -1 unlisted: only the accounts that named its source see it, each as account_requests says.
  'alter table requests add column standing smallint not null default 2 check (standing between -1 and 2)',
  `alter table requests add column status text
    check (status in ('open', 'planned', 'in_progress', 'completed', 'declined', 'duplicate', 'closed'))`,
  'alter table requests add column status_changed_at timestamptz',
  // Whether status_changed_at is when a change was observed, because the platform gives no date.
  'alter table requests add column status_observed boolean not null default false',
  // Whether the description is only the part of the text that the platform gave.
  'alter table requests add column excerpt boolean not null default false',
  // The repository, project, site, forum category, community or video that it was posted in.
  'alter table requests add column source_name text',

  // Lists without `include` read these; the indexes of version 1 serve the others.
  'create index requests_new_likely on requests (posted_at desc, id desc) where standing = 2',
  'create index requests_top_likely on requests (votes desc, id desc) where standing = 2',
  'create index requests_unjudged on requests (id) where confidence is null',

  // One row a request, account and difference: how the account sees a request that it sees differently from the shared view.
  `create table account_requests (
    account_id uuid not null references accounts,
    request_id uuid not null references requests on delete cascade,
    standing smallint not null check (standing between 0 and 2),
    primary key (account_id, request_id)
  )`,
  'create index account_requests_request on account_requests (request_id)',
  // Set with the first row of account_requests, so that accounts without any share the cached answers of all others.
  'alter table accounts add column has_own_view boolean not null default false',

  // The votes of a request on the UTC days on which a refresh changed them.
  `create table vote_samples (
    request_id uuid not null references requests on delete cascade,
    day date not null,
    votes integer not null,
    primary key (request_id, day)
  )`,
]
