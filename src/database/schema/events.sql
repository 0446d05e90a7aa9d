-- What happened and is to be told: an outbox of ids.

create table events (
  id uuid primary key default gen_random_uuid(),
  sequence bigint not null generated always as identity,
  -- Null: of all accounts that it concerns.
  account_id uuid references accounts,
  type text not null,
  -- Whose channels are told; null: the channels that subscribe to the type.
  watch_id uuid,
  -- Ids and numbers only: texts are read when it is delivered, so what was purged or hidden meanwhile is not sent.
  subject jsonb not null,
  created_at timestamptz not null,
  -- When its deliveries were written.
  fanned_out_at timestamptz
);
create index events_to_fan_out on events (sequence) where fanned_out_at is null;
create index events_created on events (created_at);

create function notify_events() returns trigger language plpgsql as $$
  begin perform pg_notify('wishwell_events', ''); return null; end
$$;
create trigger notify_events after insert on events
  for each statement execute function notify_events();
