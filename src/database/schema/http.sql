-- Calls with an Idempotency-Key, and the rate limits that several processes share.

-- status and body are null only inside the transaction that executes the call; effect is what a long call has already done.
create table idempotency_keys (
  id text primary key,
  fingerprint text not null,
  status integer,
  body text,
  expires_at timestamptz not null,
  effect text
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

-- Unlogged: a crash loses at most the last minute. Uncompressed: timestamps hardly compress, and every call rewrites them.
create unlogged table rate_limit_windows (
  key text primary key,
  hits timestamptz[] not null,
  accepted boolean not null,
  counted_at timestamptz not null,
  accepted_calls integer not null default 0
) with (fillfactor = 50);
alter table rate_limit_windows alter hits set storage external;
