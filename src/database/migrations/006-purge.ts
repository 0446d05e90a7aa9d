import { type Kysely, sql } from 'kysely'

const statements = [
  // Null until a refresh that changes nothing sees the request a day or more after updated_at; no row is rewritten for it now.
  'alter table requests add column seen_at timestamptz',
  'create index requests_refreshed on requests (platform, greatest(updated_at, seen_at))',

  // What must never be stored again, as hashes only.
  `create table suppressions (
    hash text not null,
    purge_id uuid not null,
    kind text not null check (kind in ('id', 'url', 'handle', 'name', 'profile')),
    named boolean not null,
    created_at timestamptz not null,
    primary key (hash, purge_id)
  )`,
  'create index suppressions_purge on suppressions (purge_id)',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
