-- Topics that are collected by a schedule, within a budget.

create table watches (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  -- The key that made it, or last changed what it costs, pays for its runs; null: a session that no key opened.
  key_id uuid references api_keys,
  -- The key that made it; null: a session that no key opened.
  made_by uuid references api_keys,
  name text not null,
  topic text not null,
  platforms text[] not null,
  sources jsonb,
  depth integer not null,
  -- 'hourly', 'daily', 'weekly', 'monthly' or a cron expression of five fields.
  schedule text not null,
  timezone text not null,
  -- Of all its runs in a UTC month.
  monthly_credits integer not null check (monthly_credits >= 1),
  goal text,
  -- Which requests are news; the grammar of lists of requests.
  filters jsonb not null default '{}',
  channels uuid[] not null default '{}',
  -- Whether a report without news is sent.
  reports_quiet boolean not null default false,
  -- The kinds of news that are not told (news_items.kind).
  muted_news text[] not null default '{}',
  -- 'asking': nobody has looked at it for 90 days, or its key was revoked or has expired: it waits for its owner.
  state text not null default 'active' check (state in ('active', 'paused', 'asking')),
  asking_because text check (asking_because in ('key_ended', 'not_looked_at')),
  created_at timestamptz not null,
  -- The next instant of its schedule; null while it does not run.
  next_run_at timestamptz,
  -- To within a day.
  last_looked_at timestamptz not null,
  -- The UTC month in which its owner was last told that a run could not be paid.
  told_unpaid_in text
);
create index watches_account on watches (account_id, created_at);
create index watches_maker on watches (made_by) where made_by is not null;
create index watches_due on watches (next_run_at) where next_run_at is not null;

create table watch_runs (
  id uuid primary key default gen_random_uuid(),
  watch_id uuid not null references watches on delete cascade,
  trigger text not null check (trigger in ('schedule', 'manual')),
  -- The instant of the schedule, or of the call.
  due_at timestamptz not null,
  begun_at timestamptz not null,
  -- Null for a run that was skipped.
  job_id uuid references scrape_jobs,
  skipped text check (skipped in ('no_credits', 'under_way')),
  -- When its news were reported, see news.sql.
  reported_at timestamptz,
  constraint watch_runs_check check ((job_id is null) = (skipped is not null))
);
-- One run of each instant, whatever the processes do.
create unique index watch_runs_due on watch_runs (watch_id, due_at) where trigger = 'schedule';
create index watch_runs_watch on watch_runs (watch_id, due_at desc);
create index watch_runs_job on watch_runs (job_id);
create index watch_runs_to_report on watch_runs (watch_id) where reported_at is null and job_id is not null;

-- A deleted watch takes them with it in the order of all that change several of them.
create function lock_watch_requests() returns trigger language plpgsql as $$
  begin
    perform from watch_requests where watch_id = old.id order by watch_id, source_hash for update;
    return old;
  end
$$;
create trigger lock_watch_requests before delete on watches
  for each row execute function lock_watch_requests();
