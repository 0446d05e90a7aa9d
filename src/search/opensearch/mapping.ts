/** Raised with every change of what the index has of a request: a new index is built then, while the old one serves. */
export const mappingVersion = 1

/** How soon what was written is visible to searches. */
const refreshInterval = '500ms'

const keyword = { type: 'keyword' }

/**
 * What the index has of a request. Its text is stored nowhere in the cluster, only its words: records are read from the database. Words arrive
 * normalised, with single spaces between them, and are only divided here.
 */
const properties = {
  // Sorted by; `_id` cannot be.
  id: keyword,
  // As they are written, with their positions, in fields that a phrase does not reach across: for phrases and exclusions.
  words: { type: 'text', analyzer: 'whitespace', norms: false },
  // For ranking, and for having all words.
  stems: { type: 'text', analyzer: 'whitespace', index_options: 'freqs' },
  platform: keyword,
  status: keyword,
  tags: keyword,
  topics: keyword,
  standing: { type: 'byte' },
  votes: { type: 'integer' },
  // Microseconds since 1970, as Postgres has it.
  posted_at: { type: 'long' },
  year: { type: 'short' },
  // The accounts that see it in another class, and in which: `account:standing`.
  own_accounts: keyword,
  own: keyword,
}

export interface IndexDocument {
  id: string
  words: string[]
  stems: string
  platform: string
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
    // A copy of each shard as soon as there is a second node.
    auto_expand_replicas: '0-1',
    refresh_interval: refreshInterval,
    // Deletions are remembered for longer than a write can be under way, or a late write would bring a deleted request back.
    gc_deletes: '1h',
  },
  mappings: { dynamic: 'strict', _source: { enabled: false }, properties },
})
