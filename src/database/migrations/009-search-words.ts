import { type Kysely, sql } from 'kysely'

const statements = [
  // How many requests have each word. The counts change with every page: room is left on the pages of the table so that they
  // change in place, and no index knows of them. The level changes seldom.
  `create table search_words (
    word text collate "C" primary key,
    requests integer not null,
    level smallint not null generated always as (floor(log(greatest(requests, 1)::numeric) / log(2.0))::smallint) stored
  ) with (fillfactor = 70)`,
  // For short beginnings, which rare words would make long lists of.
  'create index search_words_frequent on search_words (word) where level >= 4',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
