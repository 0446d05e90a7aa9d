import { type Kysely, sql } from 'kysely'

/** What an answer about requests is made of. */
const tables = ['requests', 'request_topics', 'scrape_job_requests']

const statements = [
  // Once a statement, whether or not it changed a row; Postgres tells equal notifications of a transaction once, at its commit.
  `create function tell_of_requests() returns trigger language plpgsql as $$
  begin
    perform pg_notify('wishwell_requests', '');
    return null;
  end $$`,
  ...tables.map(
    (table) => `create trigger tell_of_${table} after insert or update or delete or truncate on ${table}
      for each statement execute function tell_of_requests()`,
  ),
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
