import { sql } from 'kysely'
import type { Transaction } from '../../../database/open.ts'
import type { IndexedRows } from './rows.ts'

/** The tables of requests that searches read. They have no rows of `requests`, so neither triggers nor foreign keys may run. */
export const indexTables = [
  'account_requests',
  'request_topics',
  'request_facets',
  'searchable_requests',
  'request_texts',
] as const

/** @returns the ids of the texts that are new or changed: only their words are made. */
async function writeTexts(transaction: Transaction, { texts }: IndexedRows): Promise<string[]> {
  const { rows } = await sql<{ request_id: string }>`
    insert into request_texts (request_id, text, words)
    select request_id, text, to_tsvector('wishwell', text)
    from jsonb_to_recordset(${texts}::jsonb) as incoming (request_id uuid, text text)
    where not exists (select from request_texts as stored
      where stored.request_id = incoming.request_id and stored.text = incoming.text)
    on conflict (request_id) do update set text = excluded.text, words = excluded.words
    returning request_id`.execute(transaction)
  return rows.map(({ request_id: id }) => id)
}

async function writeFacets(transaction: Transaction, { facets }: IndexedRows, changed: readonly string[]) {
  await sql`
    insert into request_facets select * from jsonb_populate_recordset(null::request_facets, ${facets}::jsonb)
    on conflict (request_id) do update set platform = excluded.platform, status = excluded.status, standing = excluded.standing,
      votes = excluded.votes, posted_at = excluded.posted_at, confidence = excluded.confidence, tags = excluded.tags
    where request_facets is distinct from excluded`.execute(transaction)
  await sql`
    insert into searchable_requests as copy (request_id, platform, status, standing, votes, posted_at, tags)
    select request_id, platform, status, standing, votes, posted_at, tags
    from jsonb_populate_recordset(null::request_facets, ${facets}::jsonb)
    on conflict (request_id) do update set platform = excluded.platform, status = excluded.status, standing = excluded.standing,
      votes = excluded.votes, posted_at = excluded.posted_at, tags = excluded.tags,
      words_version = copy.words_version + (copy.request_id = any(${[...changed]}::uuid[]))::int
    where copy.request_id = any(${[...changed]}::uuid[])
      or (copy.platform, copy.status, copy.standing, copy.votes, copy.posted_at, copy.tags) is distinct from
        (excluded.platform, excluded.status, excluded.standing, excluded.votes, excluded.posted_at, excluded.tags)`.execute(
    transaction,
  )
}

/** Replaces the rows of a table of which a request has several. */
async function replaceRows(
  transaction: Transaction,
  table: 'request_topics' | 'account_requests',
  rows: string,
  ids: readonly string[],
) {
  const incoming = sql`jsonb_populate_recordset(null::${sql.table(table)}, ${rows}::jsonb)`
  const key = table === 'request_topics' ? sql`topic_key` : sql`account_id`
  if (ids.length > 0) {
    await sql`
      delete from ${sql.table(table)} where request_id = any(${[...ids]}::uuid[])
        and (request_id, ${key}) not in (select request_id, ${key} from ${incoming})`.execute(transaction)
  }
  if (rows === '[]') return
  const changed = table === 'account_requests' ? sql`update set standing = excluded.standing` : sql`nothing`
  await sql`insert into ${sql.table(table)} select * from ${incoming} on conflict (request_id, ${key}) do ${changed}`.execute(
    transaction,
  )
}

async function deleteGone(transaction: Transaction, { texts }: IndexedRows, ids: readonly string[]) {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...ids]}::uuid[]) as id where id not in (
      select request_id from jsonb_to_recordset(${texts}::jsonb) as incoming (request_id uuid))`.execute(transaction)
  if (rows.length === 0) return
  const gone = rows.map(({ id }) => id)
  for (const table of indexTables) {
    await sql`delete from ${sql.table(table)} where request_id = any(${gone}::uuid[])`.execute(transaction)
  }
}

/**
 * Writes what the shared database has of some requests. Rows that are equal already are not written again.
 * @param ids all requests that were read again; those without a row are deleted. Empty for requests that are copied for the first time.
 */
export async function writeRows(transaction: Transaction, rows: IndexedRows, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await deleteGone(transaction, rows, ids)
  if (rows.count === 0) return
  await writeFacets(transaction, rows, await writeTexts(transaction, rows))
  await replaceRows(transaction, 'request_topics', rows.topics, ids)
  await replaceRows(transaction, 'account_requests', rows.accounts, ids)
}
