import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import type { BestMatches } from './page.ts'

/**
 * Postgres' own text search, ranked by `ts_rank` over any of the words, divided by 1 + the logarithm of the text's length.
 * It ranks every match: a common word costs time that grows with the table.
 * The words have only letters, digits and marks, so nothing in them is an operator of a tsquery.
 */
export const tsvectorMatches: BestMatches = (words, most) => {
  const query = sql`to_tsquery('wishwell', ${words.replaceAll(' ', ' | ')})`
  return sql`select request_id, -ts_rank(words, ${query}, 1) as score from request_texts
    where words @@ ${query} order by score, request_id limit ${sql.lit(most)}`
}

/** Makes the column of parsed words and its index, as far as they are missing. */
export async function prepareTsvector(transaction: Transaction): Promise<void> {
  const state = await sql<{ exists: boolean }>`
    select to_regclass(quote_ident(current_schema()) || '.request_texts_words') is not null as exists`.execute(
    transaction,
  )
  if (state.rows[0]!.exists) return
  // Stored, because ranking would otherwise parse the text of every match again: twenty times slower.
  await sql`alter table request_texts add column if not exists
    words tsvector generated always as (to_tsvector('wishwell', text)) stored`.execute(transaction)
  await sql`create index request_texts_words on request_texts using gin (words)`.execute(transaction)
}
