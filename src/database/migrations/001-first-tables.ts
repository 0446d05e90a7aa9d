import { type Kysely, sql } from 'kysely'

const statements = [
  `create table accounts (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    tier text not null check (tier in ('free', 'pro', 'max')),
    payg_monthly_cap integer check (payg_monthly_cap >= 0),
    created_at timestamptz not null
  )`,
  `create table api_keys (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts,
    name text not null,
    hash text not null unique,
    hint text not null,
    created_at timestamptz not null,
    revoked_at timestamptz
  )`,
  'create index api_keys_account on api_keys (account_id)',

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
    unique (platform, source_id)
  )`,
  'create index requests_new on requests (posted_at desc, id desc)',
  'create index requests_top on requests (votes desc, id desc)',
  'create index requests_tags on requests using gin (tags)',
  `create table request_texts (
    request_id uuid primary key references requests on delete cascade,
    text text not null
  )`,
  // Stems but keeps stop words: callers drop them from a query unless nothing else is left ("to be or not to be").
  'create text search dictionary wishwell_stem (template = snowball, language = english)',
  'create text search configuration wishwell (copy = pg_catalog.english)',
  'alter text search configuration wishwell alter mapping replace pg_catalog.english_stem with wishwell_stem',

  `create table topics (
    key text primary key,
    name text not null,
    created_at timestamptz not null
  )`,
  `create table request_topics (
    request_id uuid not null references requests on delete cascade,
    topic_key text not null references topics,
    found_at timestamptz not null,
    primary key (request_id, topic_key)
  )`,
  'create index request_topics_topic on request_topics (topic_key, request_id)',

  `create table scrape_jobs (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts,
    topic text not null,
    depth integer not null check (depth between 1 and 40),
    created_at timestamptz not null
  )`,
  'create index scrape_jobs_account on scrape_jobs (account_id, created_at desc)',
  `create table scrape_tasks (
    id uuid primary key default gen_random_uuid(),
    job_id uuid not null references scrape_jobs on delete cascade,
    platform text not null,
    position integer not null,
    state text not null default 'pending' check (state in ('pending', 'running', 'done', 'error', 'skipped')),
    claim integer not null default 0,
    cursor jsonb,
    pages integer not null default 0,
    requests_found integer not null default 0,
    requests_created integer not null default 0,
    tries integer not null default 0,
    takeovers integer not null default 0,
    page_due_since timestamptz,
    waiting_until timestamptz,
    queue_job_id uuid,
    error_code text,
    error_message text,
    started_at timestamptz,
    completed_at timestamptz,
    unique (job_id, platform)
  )`,
  "create index scrape_tasks_open on scrape_tasks (job_id) where state in ('pending', 'running')",
  `create table scrape_job_requests (
    job_id uuid not null references scrape_jobs on delete cascade,
    request_id uuid not null references requests on delete cascade,
    primary key (job_id, request_id)
  )`,
  'create index scrape_job_requests_request on scrape_job_requests (request_id)',

  // Room on every page for new versions of a row, so that a busy balance is rewritten in place (a HOT update).
  `create table credit_balances (
    account_id uuid primary key references accounts,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    pool_held integer not null default 0 check (pool_held >= 0),
    pool_settled integer not null default 0 check (pool_settled >= 0),
    payg_balance integer not null default 0 check (payg_balance >= 0),
    payg_held integer not null default 0 check (payg_held between 0 and payg_balance),
    payg_month_used integer not null default 0 check (payg_month_used >= 0),
    latest_pool_part integer not null default 0 check (latest_pool_part >= 0)
  ) with (fillfactor = 50)`,
  `create table credit_reservations (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references credit_balances,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    operation text not null check (operation in ('scrape', 'expand', 'realtime')),
    job_id uuid unique references scrape_jobs,
    call_id uuid unique,
    pool_part integer not null check (pool_part >= 0),
    payg_part integer not null check (payg_part >= 0),
    state text not null default 'open' check (state in ('open', 'closed')),
    settled integer not null default 0,
    created_at timestamptz not null,
    closed_at timestamptz,
    check (pool_part + payg_part > 0),
    check (settled between 0 and pool_part + payg_part),
    check ((operation = 'scrape') = (job_id is not null)),
    check (num_nonnulls(job_id, call_id) = 1),
    check ((state = 'closed') = (closed_at is not null)),
    check (state = 'closed' or settled = 0)
  )`,
  'create index credit_reservations_account on credit_reservations (account_id)',
  `create table credit_entries (
    id bigint generated always as identity primary key,
    account_id uuid not null references credit_balances,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    kind text not null check (kind in ('reserve', 'settle', 'release', 'grant')),
    operation text not null check (operation in ('scrape', 'expand', 'realtime', 'pack')),
    cause text not null,
    pack text,
    reservation_id uuid references credit_reservations,
    pool_held_change integer not null default 0,
    pool_settled_change integer not null default 0,
    payg_held_change integer not null default 0,
    payg_settled_change integer not null default 0,
    payg_granted_change integer not null default 0,
    created_at timestamptz not null,
    unique (reservation_id, kind),
    check ((kind = 'grant') = (operation = 'pack')),
    check ((kind = 'grant') = (pack is not null)),
    check ((kind = 'grant') = (reservation_id is null)),
    check (case kind
      when 'reserve' then pool_held_change >= 0 and payg_held_change >= 0
      when 'settle' then pool_held_change <= 0 and payg_held_change <= 0
      when 'release' then pool_held_change <= 0 and payg_held_change <= 0
      else pool_held_change = 0 and payg_held_change = 0 end),
    check (pool_settled_change = case kind when 'settle' then -pool_held_change else 0 end),
    check (payg_settled_change = case kind when 'settle' then -payg_held_change else 0 end),
    check (case kind when 'grant' then payg_granted_change > 0 else payg_granted_change = 0 end)
  )`,
  'create index credit_entries_account on credit_entries (account_id, id)',
  "create index credit_entries_settled on credit_entries (account_id, created_at) where kind = 'settle'",
  `create function refuse_change_of_entry() returns trigger language plpgsql as $$
    begin
      raise exception 'credit_entries is append-only' using errcode = 'integrity_constraint_violation';
    end
  $$`,
  `create trigger credit_entries_append_only before update or delete on credit_entries
    for each statement execute function refuse_change_of_entry()`,
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
