import pg from 'pg'
import { startPostgres } from '../../test/postgres.ts'
import { type BenchEngine, plainWords } from './engine.ts'

/** Postgres' own text search as most people use it: a GIN index over weighted words, ordered by ts_rank. */
export async function createTsRank(): Promise<BenchEngine> {
  const server = await startPostgres()
  const pool = new pg.Pool({ connectionString: server.url('postgres'), max: 16 })
  pool.on('error', () => {})
  await pool.query(`
    create table documents (
      id text primary key, title text not null, description text not null,
      words tsvector generated always as (
        setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', description), 'D')) stored
    )`)
  return {
    name: 'Postgres GIN, ts_rank',
    load: async (documents) => {
      await pool.query(
        'insert into documents (id, title, description) select * from unnest($1::text[], $2::text[], $3::text[])',
        [
          documents.map(({ id }) => id),
          documents.map(({ title }) => title),
          // One word list may have a megabyte in Postgres.
          documents.map(({ description }) => description.slice(0, 100_000)),
        ],
      )
    },
    finish: async () => {
      await pool.query('create index documents_words on documents using gin (words)')
      await pool.query('vacuum analyze documents')
    },
    search: async (query, limit) => {
      const any = plainWords(query).join(' or ')
      const { rows } = await pool.query<{ id: string }>(
        `select id from documents, websearch_to_tsquery('english', $1) as asked
         where words @@ asked order by ts_rank(words, asked) desc, id limit $2`,
        [any, limit],
      )
      return rows.map(({ id }) => id)
    },
    indexBytes: async () => {
      const { rows } = await pool.query<{ bytes: string }>(`select pg_relation_size('documents_words') as bytes`)
      return Number(rows[0]?.bytes)
    },
    close: async () => {
      await pool.end()
      await server.stop()
    },
  }
}
