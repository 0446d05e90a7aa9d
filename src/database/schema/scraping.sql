-- Jobs, their tasks, the order in which accounts are served, and live calls.

create sequence account_schedule_last_served_seq;

create table scrape_jobs (
  id uuid primary key default gen_random_uuid(),
  -- Null for an unowned job, which live calls of several accounts share: it is not queued for any account.
  account_id uuid references accounts,
  topic text not null,
  depth integer not null check (depth >= 1 and depth <= 40),
  created_at timestamptz not null,
  expires_at timestamptz not null default (now() + '06:00:00'::interval),
  -- Null while the job is queued.
  begun_at timestamptz,
  -- Null until its last task has ended.
  ended_at timestamptz,
  -- Of unowned jobs only: live calls for the same topic find the running collection by it.
  topic_key text,
  -- What the caller named, normalised, by platform; null: the sources of the operator.
  sources jsonb,
  -- Of unowned jobs: an expansion thought of the topic. A call that names the topic clears it.
  from_expansion boolean not null default false,
  -- The watch whose run a job is; no foreign key, because jobs outlive watches. Since when new requests are asked for; null: by relevance.
  watch_id uuid,
  newest_since timestamptz
);
create index scrape_jobs_account_page on scrape_jobs (account_id, created_at desc, id desc);
-- The operator pages through the jobs of all accounts.
create index scrape_jobs_page on scrape_jobs (created_at desc, id desc);
create index scrape_jobs_open on scrape_jobs (account_id, created_at, id) where ended_at is null;
create index scrape_jobs_unowned on scrape_jobs (topic_key, created_at) where account_id is null;
-- What the runs of a watch found: is a request new to it, and what are its news.
create index scrape_jobs_watch on scrape_jobs (watch_id) where watch_id is not null;
-- Is a run of a watch under way.
create index scrape_jobs_watch_open on scrape_jobs (watch_id) where watch_id is not null and ended_at is null;

create table scrape_tasks (
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
  sources text[],
  -- How many items of the fetched pages were left out, by reason.
  discarded jsonb not null default '{}',
  -- New requests of the class maybe; requests_created counts the likely ones.
  maybe_created integer not null default 0,
  constraint scrape_tasks_job_id_platform_key unique (job_id, platform)
);
create index scrape_tasks_open on scrape_tasks (job_id) where state in ('pending', 'running');
-- The tasks that are queued or running, by queue message: a free worker slot chooses from these.
create index scrape_tasks_queued on scrape_tasks (queue_message_id) where (state in ('pending', 'running')) and queue_message_id is not null;

-- Without foreign keys, as in request_texts. A job that has requests is never deleted.
create table scrape_job_requests (
  job_id uuid not null,
  request_id uuid not null,
  primary key (job_id, request_id)
);
create index scrape_job_requests_request on scrape_job_requests (request_id);

-- Among accounts with equally many running tasks, the one that was served longest ago is next.
create table account_schedule (
  account_id uuid primary key references accounts,
  last_served bigint not null
) with (fillfactor = 50);

-- Live calls without an answer. The transaction that closes the reservation with the same call_id deletes the row; a row that
-- is still there after expires_at belongs to a process that died.
create table live_calls (
  id uuid primary key,
  account_id uuid not null references accounts,
  operation text not null check (operation in ('expand', 'realtime')),
  idempotency_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  plan jsonb
);
create index live_calls_expiry on live_calls (expires_at);

-- A trigger, so that every writer of a task notifies its event streams, on commit.
create function notify_task_change() returns trigger language plpgsql as $$
  begin
    new.revision := old.revision + 1;
    perform pg_notify('wishwell_tasks', new.job_id || ' ' || new.id || ' ' || new.state);
    return new;
  end
$$;
create trigger notify_task_change before update on scrape_tasks
  for each row when (old.state is distinct from new.state or old.pages is distinct from new.pages or old.requests_found is distinct from new.requests_found or old.requests_created is distinct from new.requests_created or old.waiting_until is distinct from new.waiting_until) execute function notify_task_change();

-- The processes that report wait for this: a run of a watch has ended. Jobs of no watch pay nothing.
create function notify_ended_runs() returns trigger language plpgsql as $$
  begin
    perform pg_notify('wishwell_ended_runs', '');
    return null;
  end
$$;
create trigger notify_ended_runs after update of ended_at on scrape_jobs
  for each row when (new.watch_id is not null and new.ended_at is not null) execute function notify_ended_runs();
create trigger notify_ended_run after insert on scrape_jobs
  for each row when (new.watch_id is not null and new.ended_at is not null) execute function notify_ended_runs();
