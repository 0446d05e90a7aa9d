import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../database/open.ts'

/** What an index has of some requests: rows of its tables, as JSON texts that are passed on as they are. */
export interface IndexedRows {
  count: number
  /** The greatest id of them; null without any. */
  last: string | null
  texts: string
  facets: string
  topics: string
  accounts: string
}

/** One statement, so that all tables are read as of one moment. @param ids a query for the column `request_id` */
async function readRows(executor: Executor, ids: RawBuilder<unknown>): Promise<IndexedRows> {
  const rowsOf = (row: RawBuilder<unknown>, table: string) => sql`(
    select coalesce(json_agg(${row}), '[]')::text from ${sql.table(table)} as own join wanted using (request_id))`
  const { rows } = await sql<IndexedRows>`
    with wanted as materialized (${ids})
    select count(*)::int as count, (array_agg(request_id order by request_id desc))[1] as last,
      ${rowsOf(sql`json_build_object('request_id', request_id, 'text', text)`, 'request_texts')} as texts,
      ${rowsOf(sql`own`, 'request_facets')} as facets, ${rowsOf(sql`own`, 'request_topics')} as topics,
      ${rowsOf(sql`own`, 'account_requests')} as accounts
    from wanted`.execute(executor)
  return rows[0]!
}

/** Those of some requests that exist. */
export const readRowsOf = (executor: Executor, ids: readonly string[]): Promise<IndexedRows> =>
  readRows(executor, sql`select request_id from request_texts where request_id = any(${[...ids]}::uuid[])`)

/** The next requests in the order of their ids. @param after null for the first ones */
export const readNextRows = (executor: Executor, after: string | null, max: number): Promise<IndexedRows> =>
  readRows(
    executor,
    sql`select request_id from request_texts where ${after}::uuid is null or request_id > ${after}::uuid
      order by request_id limit ${max}`,
  )
