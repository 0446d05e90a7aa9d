import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { fieldBoundary } from '../../requests/words/text.ts'
import { stemOf } from '../../runtime/text/words.ts'
import { parseSnapshot } from '../outbox/outbox.ts'
import type { Write } from './cluster.ts'

/** Increase with every change of the document fields: a new index is then built while the old one serves. */
export const mappingVersion = 2

const refreshInterval = '500ms'

const keyword = { type: 'keyword' }

/** The document of a request: words but no text, since records come from the database. Words arrive normalized. */
const properties = {
  // For sorting, as `_id` cannot be sorted by.
  id: keyword,
  // Words as written, with positions, for phrases and exclusions; phrases cannot span fields.
  words: { type: 'text', analyzer: 'whitespace', norms: false },
  // For ranking and full matches.
  stems: { type: 'text', analyzer: 'whitespace', index_options: 'freqs' },
  platform: keyword,
  product: keyword,
  status: keyword,
  tags: keyword,
  topics: keyword,
  standing: { type: 'byte' },
  votes: { type: 'integer' },
  // Microseconds since 1970, Postgres' precision.
  posted_at: { type: 'long' },
  year: { type: 'short' },
  // Accounts with another standing for it, as `account:standing`.
  own_accounts: keyword,
  own: keyword,
}

interface IndexDocument {
  id: string
  words: string[]
  stems: string
  platform: string
  product: string | null
  status: string | null
  tags: string[]
  topics: string[]
  standing: number
  votes: number
  posted_at: number
  year: number
  own_accounts: string[]
  own: string[]
}

/** The body of a new index. */
export const indexBody = (shards: number) => ({
  settings: {
    number_of_shards: shards,
    // Replicates each shard once a second node exists.
    auto_expand_replicas: '0-1',
    refresh_interval: refreshInterval,
    // Longer than any write takes: otherwise a late write would restore a deleted request.
    gc_deletes: '1h',
  },
  mappings: { dynamic: 'strict', _source: { enabled: false }, properties },
})

/** Cached stems: the same few thousand words make up nearly all texts. */
const stems = new Map<string, string>()
const maxStems = 50_000

function cachedStem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  const stem = stemOf(word)
  if (stems.size >= maxStems) stems.clear()
  stems.set(word, stem)
  return stem
}

/** The stems of space-separated words, in order. */
export const stemsOf = (words: string): string => words.split(' ').map(cachedStem).join(' ')

/** A number that grows with every later database state: the count of completed transactions. */
export function versionOf(snapshot: string): number {
  const { end, open } = parseSnapshot(snapshot)
  return Number(end) - open.length
}

interface StoredRow extends Omit<IndexDocument, 'words' | 'stems' | 'own_accounts'> {
  text: string
}

function toDocument({ text, ...columns }: StoredRow): IndexDocument {
  const words = text.split(fieldBoundary)
  return {
    ...columns,
    words,
    stems: words.map(stemsOf).join(' '),
    own_accounts: columns.own.map((own) => own.slice(0, own.indexOf(':'))),
  }
}

/** Reads documents to write, or delete, from one snapshot: by its version, the latest state wins any race. */
export async function readWrites(executor: Executor, ids: readonly string[]): Promise<Write[]> {
  const { rows } = await sql<{ snapshot: string; stored: StoredRow[] }>`
    select pg_current_snapshot()::text as snapshot, (
      select coalesce(json_agg(stored), '[]') from (
        select id, platform, product, status, tags, standing, votes, (extract(epoch from posted_at) * 1000000)::bigint as posted_at,
          extract(year from posted_at at time zone 'UTC')::int as year, text,
          array(select topic_key from request_topics where request_topics.request_id = id) as topics,
          array(select account_id || ':' || own.standing from account_requests as own where own.request_id = id) as own
        from requests join request_texts on request_texts.request_id = id
        where id = any(${[...ids]}::uuid[])
      ) as stored
    ) as stored`.execute(executor)
  const { snapshot, stored } = rows[0]!
  const version = versionOf(snapshot)
  const documents = new Map(stored.map((row) => [row.id, row]))
  return ids.map((id) => {
    const row = documents.get(id)
    return { id, version, fields: row === undefined ? null : toDocument(row) }
  })
}
