import { type Kysely, sql } from 'kysely'

const statements = [
  // How many requests have each word. The counts change with every page: room is left on the pages of the table so that they
  // change in place, and no index knows of them. Whether a word is frequent changes seldom.
  `create table search_words (
    word text collate "C" primary key,
    requests integer not null,
    frequent boolean not null generated always as (requests >= 16) stored
  ) with (fillfactor = 70)`,
  // For short beginnings, which rare words would make long lists of.
  'create index search_words_frequent on search_words (word) where frequent',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
