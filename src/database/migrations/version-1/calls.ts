/** What is stored of calls: request rates and idempotent answers. */
export const calls: readonly string[] = [
  // Not logged: a crash forgets at most the last minute. Not compressed: moments hardly compress, and each call rewrites them.
  `create unlogged table rate_limit_windows (
    key text primary key,
    hits timestamptz[] storage external not null,
    accepted boolean not null,
    counted_at timestamptz not null
  ) with (fillfactor = 50)`,

  // status and body are null only inside the transaction that executes the call.
  `create table idempotency_keys (
    id text primary key,
    fingerprint text not null,
    status integer,
    body text,
    expires_at timestamptz not null,
    effect text
  )`,
  'create index idempotency_keys_expiry on idempotency_keys (expires_at)',
]
