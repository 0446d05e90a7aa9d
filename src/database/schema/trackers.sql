-- Issue trackers of accounts, and the wishes that were pushed to them.

create table trackers (
  id uuid primary key,
  account_id uuid not null references accounts,
  type text not null check (type in ('github', 'gitlab', 'linear', 'jira', 'webhook')),
  name text not null,
  -- The fields of its type as JSON, sealed with its id.
  config text not null,
  -- What is shown of them: where it leads, no secret.
  hint text not null,
  created_at timestamptz not null,
  -- The key that made it, and when that key expires: then nothing is sent or read.
  made_by uuid references api_keys,
  expires_at timestamptz,
  -- Calls that failed since the last that succeeded, and what failed, in words of our own.
  failures integer not null default 0,
  last_error text,
  -- No call before this, after one that failed.
  rests_until timestamptz,
  -- When it is called next; null while there is nothing to do. Changed under the lock of the row only.
  due_at timestamptz,
  -- Its claim (src/database/claimed-work.ts).
  claimed_by uuid,
  claimed_until timestamptz
);
create index trackers_account on trackers (account_id, created_at, id);
create index trackers_maker on trackers (made_by) where made_by is not null;
create index trackers_due on trackers (due_at) where due_at is not null;

-- One wish on one tracker: the outbox entry, and afterwards what is known of the issue.
create table pushes (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  tracker_id uuid not null references trackers on delete cascade,
  -- No foreign key: what was pushed stays known when the wish is merged or purged.
  wish_id uuid not null,
  state text not null check (state in ('waiting', 'sent', 'failed', 'nothing_left', 'undoing', 'undone', 'gone')),
  -- When it is sent, undone or read next; null where nothing is left to do.
  due_at timestamptz,
  attempts integer not null default 0,
  -- When an issue may first have been made: written before the first call that makes one.
  tried_at timestamptz,
  -- Of the tracker, once it is known.
  issue_id text,
  issue_key text,
  issue_url text,
  -- The status of the issue in our words, and when it was read.
  status text,
  status_at timestamptz,
  last_error text,
  -- Who pushed it: 'key <id>' or 'session <id>'.
  made_by text not null,
  created_at timestamptz not null,
  constraint pushes_check check (issue_id is not null or state not in ('sent', 'gone')),
  constraint pushes_wish unique (tracker_id, wish_id)
);
create index pushes_account on pushes (account_id, created_at desc, id desc);
create index pushes_of_wish on pushes (account_id, wish_id);
create index pushes_due on pushes (tracker_id, due_at) where due_at is not null;
