import { type Kysely, sql } from 'kysely'

const statements = [
  // A live collection is a job of nobody; 007 allows that too, whichever of the two comes first.
  'alter table scrape_jobs alter column account_id drop not null',
  // Of jobs of nobody only: by which calls for the same topic find the collection that is under way.
  'alter table scrape_jobs add column topic_key text',
  'create index scrape_jobs_of_nobody on scrape_jobs (topic_key, created_at) where account_id is null',

  // The calls that collect live and are not answered yet. The row goes with the answer, in the transaction that closes the
  // reservation with the same call_id; one that stays was left by a process that died.
  `create table live_calls (
    id uuid primary key,
    account_id uuid not null references accounts,
    operation text not null check (operation in ('expand', 'realtime')),
    idempotency_id text,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  'create index live_calls_expiry on live_calls (expires_at)',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
