import { type Kysely, sql } from 'kysely'

const statements = [
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
    expires_at timestamptz not null
  )`,
  'create index idempotency_keys_expiry on idempotency_keys (expires_at)',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
