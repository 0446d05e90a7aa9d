/** Calls with an Idempotency-Key and their stored answers. */
export const idempotency: readonly string[] = [
  // status and body are null only inside the transaction that executes the call; effect is what a long call has already done.
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
