/** Jobs, their tasks, the order in which accounts are served, and live calls. */
export const scraping: readonly string[] = [
  `create table scrape_jobs (
    id uuid primary key default gen_random_uuid(),
    -- Null for an unowned job, which live calls of several accounts share: it is not queued for any account.
    account_id uuid references accounts,
    topic text not null,
    depth integer not null check (depth between 1 and 40),
    created_at timestamptz not null,
    expires_at timestamptz not null default now() + interval '6 hours',
    -- Null while the job is queued.
    begun_at timestamptz,
    -- Null until its last task has ended.
    ended_at timestamptz,
    -- Of unowned jobs only: live calls for the same topic find the running collection by it.
    topic_key text
  )`,
  'create index scrape_jobs_account_page on scrape_jobs (account_id, created_at desc, id desc)',
  // The operator pages through the jobs of all accounts.
  'create index scrape_jobs_page on scrape_jobs (created_at desc, id desc)',
  'create index scrape_jobs_open on scrape_jobs (account_id, created_at, id) where ended_at is null',
  'create index scrape_jobs_unowned on scrape_jobs (topic_key, created_at) where account_id is null',

  `create table scrape_tasks (
    id uuid primary key default gen_random_uuid(),
    job_id uuid not null references scrape_jobs on delete cascade,
    platform text not null,
    position integer not null,
    state text not null default 'pending' check (state in ('pending', 'running', 'done', 'error', 'skipped')),
    fencing_token integer not null default 0,
    cursor jsonb,
    pages integer not null default 0,
    requests_found integer not null default 0,
    requests_created integer not null default 0,
    tries integer not null default 0,
    takeovers integer not null default 0,
    page_due_since timestamptz,
    waiting_until timestamptz,
    queue_message_id uuid,
    error_code text,
    error_message text,
    started_at timestamptz,
    completed_at timestamptz,
    -- Counts the visible changes: event streams resume by it.
    revision integer not null default 0,
    unique (job_id, platform)
  )`,
  "create index scrape_tasks_open on scrape_tasks (job_id) where state in ('pending', 'running')",
  // The tasks that are queued or running, by queue message: a free worker slot chooses from these.
  `create index scrape_tasks_queued on scrape_tasks (queue_message_id)
    where state in ('pending', 'running') and queue_message_id is not null`,
  `create table scrape_job_requests (
    job_id uuid not null references scrape_jobs on delete cascade,
    request_id uuid not null references requests on delete cascade,
    primary key (job_id, request_id)
  )`,
  'create index scrape_job_requests_request on scrape_job_requests (request_id)',

  // A trigger, so that every writer of a task notifies its event streams, on commit.
  `create function notify_task_change() returns trigger language plpgsql as $$
  begin
    new.revision := old.revision + 1;
    perform pg_notify('wishwell_tasks', new.job_id || ' ' || new.id || ' ' || new.state);
    return new;
  end $$`,
  `create trigger notify_task_change before update on scrape_tasks for each row
    when ((old.state, old.pages, old.requests_found, old.requests_created, old.waiting_until)
      is distinct from (new.state, new.pages, new.requests_found, new.requests_created, new.waiting_until))
    execute function notify_task_change()`,

  // Among accounts with equally many running tasks, the one that was served longest ago is next.
  'create sequence account_schedule_last_served_seq',
  `create table account_schedule (
    account_id uuid primary key references accounts,
    last_served bigint not null
  ) with (fillfactor = 50)`,

  // Live calls without an answer. The transaction that closes the reservation with the same call_id deletes the row; a row that
  // is still there after expires_at belongs to a process that died.
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
