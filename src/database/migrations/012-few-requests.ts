import { type Kysely, sql } from 'kysely'

/**
 * A function that finds requests by an index, at most `most` of them. `enable_seqscan` leaves the planner no other way: it
 * would read a large table from its beginning for what it believes to be frequent, and may stand at its end.
 */
const finding = (name: string, argument: string, condition: string) => `
  create function ${name}(${argument} text[], most integer) returns setof uuid language plpgsql stable rows 1000
  set enable_seqscan = off as $$
    begin
      return query execute 'select id from requests where ${condition} limit $2' using ${argument}, most;
    end
  $$`

const statements = [
  finding('requests_with_tags', 'asked', 'tags @> $1'),
  finding('requests_on_platforms', 'asked', 'platform = any($1)'),
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
