// STUB of the lead, to be replaced
import { sql } from 'kysely'
import type { Database, Executor } from '../database/open.ts'
export interface SearchMatches {
  ids: string[]
  more: boolean
  window: number | null
}
export interface SearchIndex {
  readonly kind: 'bm25' | 'tsvector'
  search(executor: Executor, input: { query: string; offset: number; limit: number }): Promise<SearchMatches>
}
export async function openSearchIndex(_database: Database): Promise<SearchIndex> {
  return {
    kind: 'tsvector',
    search: async (executor, { query, offset, limit }) => {
      const { rows } = await sql<{
        id: string
      }>`select request_id as id from request_texts where to_tsvector('wishwell', text) @@ replace(plainto_tsquery('wishwell', ${query})::text, '&', '|')::tsquery limit ${limit + 1} offset ${offset}`.execute(
        executor,
      )
      return { ids: rows.slice(0, limit).map((r) => r.id), more: rows.length > limit, window: null }
    },
  }
}
