import { tellOf } from './notify.ts'

/** Jobs, their tasks, and the calls that collect live. */
export const scraping: readonly string[] = [
  `create table scrape_jobs (
    id uuid primary key default gen_random_uuid(),
    -- A job of nobody collects for several callers at once, who pay for their calls: it stands in no account's line.
    account_id uuid references accounts,
    topic text not null,
    depth integer not null check (depth between 1 and 40),
    created_at timestamptz not null,
    expires_at timestamptz not null default now() + interval '6 hours',
    -- Null while the job waits in its account's line, and until its last task has ended.
    begun_at timestamptz,
    ended_at timestamptz,
    topic_key text
  )`,
  'create index scrape_jobs_account_page on scrape_jobs (account_id, created_at desc, id desc)',
  // The operator pages through the jobs of all accounts.
  'create index scrape_jobs_page on scrape_jobs (created_at desc, id desc)',
  'create index scrape_jobs_open on scrape_jobs (account_id, created_at, id) where ended_at is null',
  'create index scrape_jobs_of_nobody on scrape_jobs (topic_key, created_at) where account_id is null',

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
    -- Counts the changes of a task that people can see: its followers know by it what they have seen.
    revision integer not null default 0,
    unique (job_id, platform)
  )`,
  "create index scrape_tasks_open on scrape_tasks (job_id) where state in ('pending', 'running')",
  // The tasks that are queued or in work, by their entry: what a free place chooses from.
  `create index scrape_tasks_queued on scrape_tasks (queue_job_id)
    where state in ('pending', 'running') and queue_job_id is not null`,
  `create table scrape_job_requests (
    job_id uuid not null references scrape_jobs on delete cascade,
    request_id uuid not null references requests on delete cascade,
    primary key (job_id, request_id)
  )`,
  'create index scrape_job_requests_request on scrape_job_requests (request_id)',
  tellOf('scrape_job_requests'),

  // A trigger, so that no way of writing a task can forget to tell its followers. They hear of it when it has committed.
  `create function tell_of_scrape_task() returns trigger language plpgsql as $$
  begin
    new.revision := old.revision + 1;
    perform pg_notify('wishwell_tasks', new.job_id || ' ' || new.id || ' ' || new.state);
    return new;
  end $$`,
  `create trigger tell_of_scrape_task before update on scrape_tasks for each row
    when ((old.state, old.pages, old.requests_found, old.requests_created, old.waiting_until)
      is distinct from (new.state, new.pages, new.requests_found, new.requests_created, new.waiting_until))
    execute function tell_of_scrape_task()`,

  // When each account was last given a place: of those with as many tasks in work, it is the turn of who waited longest.
  'create sequence scrape_turn',
  `create table scrape_turns (
    account_id uuid primary key references accounts,
    turn bigint not null
  ) with (fillfactor = 50)`,

  // The calls that collect live and are not answered yet. The row goes with the answer, in the transaction that closes the
  // reservation with the same call_id; one that stays was left by a process that died.
  `create table live_calls (
    id uuid primary key,
    account_id uuid not null references accounts,
    operation text not null check (operation in ('expand', 'realtime')),
    idempotency_id text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    plan jsonb
  )`,
  'create index live_calls_expiry on live_calls (expires_at)',
]
