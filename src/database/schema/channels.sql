-- The ways on which accounts are told, and what was told on each.

create table channels (
  id uuid primary key,
  account_id uuid not null references accounts,
  type text not null check (type in ('webhook', 'email', 'slack', 'discord', 'ntfy', 'apprise')),
  name text not null,
  -- The fields of its type as JSON, sealed with the id of the channel (src/secrets).
  config text not null,
  -- What is shown of the fields: a host and last characters.
  hint text not null,
  -- Who receives, as host and port: many channels may have one; the deliveries to it at a time are bounded.
  host text not null,
  -- The types of events that it subscribes to; a watch that names the channel needs none.
  events text[] not null default '{}',
  -- The kinds of news of watches that are not told on it (news_items.kind).
  muted_news text[] not null default '{}',
  cadence text not null check (cadence in ('now', 'daily', 'weekly')),
  timezone text not null,
  -- The local hour of a digest; weekly ones are sent on Mondays.
  hour smallint not null check (hour >= 0 and hour <= 23),
  -- 'unconfirmed': gets nothing until its owner confirms it.
  state text not null check (state in ('active', 'unconfirmed', 'disabled')),
  -- A word of our own, such as 'gone' or 'failing'.
  disabled_reason text,
  created_at timestamptz not null,
  -- The key that made it, and when that key expires: then the channel is disabled.
  made_by uuid references api_keys,
  expires_at timestamptz,
  -- Since when no delivery succeeded, and how many attempts failed since then.
  failing_since timestamptz,
  failures integer not null default 0,
  last_delivered_at timestamptz,
  -- No attempt before this, after one that failed.
  rests_until timestamptz,
  -- When its next attempt is due; null while nothing is pending. Changed under the lock of the row only, see delivery/.
  due_at timestamptz,
  -- Its claim (src/database/claimed-work.ts): a process delivers on it until that time.
  claimed_by uuid,
  claimed_until timestamptz,
  constraint channels_check check ((disabled_reason is not null) = (state = 'disabled'))
);
create index channels_account on channels (account_id, created_at, id);
create index channels_maker on channels (made_by) where made_by is not null;
create index channels_expiry on channels (expires_at) where expires_at is not null;
create index channels_due on channels (due_at) where due_at is not null;

create table channel_deliveries (
  id uuid primary key default gen_random_uuid(),
  channel_id uuid not null references channels on delete cascade,
  event_id uuid not null references events on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'nothing_left')),
  -- The id of the message: of the event, or of the digest that the delivery became part of at its first attempt.
  message_id uuid,
  attempts integer not null default 0,
  -- When it is tried next; null once it has ended.
  due_at timestamptz,
  created_at timestamptz not null,
  last_attempt_at timestamptz,
  ended_at timestamptz,
  -- The HTTP or SMTP status of the last attempt, and what failed, in words of our own.
  last_status integer,
  last_error text,
  constraint channel_deliveries_check check ((due_at is not null) = (state = 'pending')),
  constraint channel_deliveries_channel_id_event_id_key unique (channel_id, event_id)
);
create index channel_deliveries_due on channel_deliveries (channel_id, due_at) where due_at is not null;
create index channel_deliveries_of_channel on channel_deliveries (channel_id, created_at desc, id desc);
create index channel_deliveries_event on channel_deliveries (event_id);
create index channel_deliveries_created on channel_deliveries (created_at);
