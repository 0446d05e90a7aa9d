import { type Kysely, sql } from 'kysely'

const statements = [
  // Not logged: a crash forgets at most the last minute. Not compressed: moments hardly compress, and each call rewrites them.
  `create unlogged table rate_limit_windows (
    key text primary key,
    hits timestamptz[] storage external not null,
    accepted boolean not null,
    counted_at timestamptz not null
  ) with (fillfactor = 50)`,
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
