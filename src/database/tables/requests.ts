import type { Generated, GeneratedAlways } from 'kysely'
import type { Fixed, IdentityKind, PlatformName, RequestStatus, Standing } from '../column-types.ts'

/** `creating` in the cluster, `building` from all requests, `serving` searches, or `retired` for deletion. */
export type IndexState = 'creating' | 'building' | 'serving' | 'retired'

export interface SearchTables {
  /** Requests that a transaction changed, created or deleted, as far as an index has them. */
  search_changes: {
    /** A number of 64 bits, as text. */
    transaction_id: Fixed<string>
    request_id: Fixed<string>
    noted_at: Fixed<Date>
  }
  /** The indexes outside of the database that follow the changes. */
  search_consumers: {
    name: Fixed<string>
    /** A `pg_snapshot` as text: changes of all transactions complete in it have been read. */
    position: string
    claimed_by: string | null
    claimed_until: Date | null
    /** Progress of copying all requests, by id; null before it starts. */
    copied_through: string | null
    is_copied: Generated<boolean>
  }
  /** The indexes of requests in a search cluster. */
  search_indexes: {
    name: Fixed<string>
    /** The name that stands for the index that serves, the same for all of them. */
    alias: Fixed<string>
    state: IndexState
    /** The version of what the index has of a request. */
    mapping: Fixed<number>
    shards: Fixed<number>
    created_at: Generated<Date>
    state_since: Generated<Date>
  }
}

export interface RequestsTables {
  requests: {
    id: Generated<string>
    platform: Fixed<PlatformName>
    source_id: Fixed<string>
    title: string
    description: string
    votes: number
    tags: string[]
    comment_count: number | null
    stars: number | null
    source_url: string
    author_name: string | null
    author_handle: string | null
    author_profile_url: string | null
    license: string | null
    /** The topic that collected it first, as its job spelt it. */
    topic: Fixed<string>
    original_created_at: Date | null
    created_at: Fixed<Date>
    updated_at: Date
    /** Last unchanged sighting, to the day, for platforms with a retention; null if not since updated_at. */
    seen_at: Date | null
    /** original_created_at, or created_at if the platform gives no date: "new" sorts by it. */
    posted_at: GeneratedAlways<Date>
    /** The probability that it is a feature request, 0 to 1. */
    confidence: number
    /** Class in the shared view; accounts may see another one (`account_requests`). */
    standing: Generated<Standing>
    /** Null where the platform has none. */
    status: RequestStatus | null
    status_changed_at: Date | null
    /** `status_changed_at` is when the change was observed: the platform gives no date. */
    status_observed: Generated<boolean>
    /** Whether the description is only the part of the text that the platform gave. */
    excerpt: Generated<boolean>
    /** Repository, project, site, forum category, community or video it was posted in. */
    source_name: string | null
    /** The product that the source tells; null where it is of no single one. */
    product: string | null
    /** Identifies its voice by author and text (`requests/voices/voices.ts`). */
    voice: Generated<Buffer>
  }
  /** An account's own view of a request, by a correction or because it named the source. */
  account_requests: {
    account_id: Fixed<string>
    request_id: Fixed<string>
    standing: Standing
  }
  /** A request's votes on UTC days (YYYY-MM-DD) on which a refresh changed them. */
  vote_samples: {
    request_id: Fixed<string>
    day: Fixed<string>
    votes: number
  }
  /** Corrections by an account, or by the operator for all (account null). They outlive the request. */
  request_corrections: {
    account_id: Fixed<string | null>
    platform: Fixed<PlatformName>
    /** Of the request's id on its platform (`requests/store/identity.ts`). */
    source_hash: Fixed<string>
    /** The stored request's id; after deletion an unused id, until it is collected again. */
    request_id: string | null
    is_request: boolean
    /** `key <id>`, `session <id>` or `admin`. */
    made_by: string
    created_at: Date
  }
  /** Texts drawn for correction by an account, or by the operator (null). They outlive the request. */
  label_draws: {
    account_id: Fixed<string | null>
    platform: Fixed<PlatformName>
    /** As in `request_corrections`. */
    source_hash: Fixed<string>
    /** Of the request as it was drawn, which may be gone. */
    request_id: Fixed<string>
    /** The Monday of the week it was drawn in, as YYYY-MM-DD. */
    week: Fixed<string>
    /** The owner's class for it, the confidence behind it, and the number of texts in that class. */
    standing: Fixed<Standing>
    confidence: Fixed<number>
    population: Fixed<number>
    /** What classes were cut by, as one word. */
    thresholds: Fixed<string>
  }
  /** Confidence a model gave a maybe text, or placing gave a chore; valid while the text has this hash. */
  request_judgements: {
    request_id: Fixed<string>
    text_hash: string
    confidence: number
    judged_at: Date
    /** Of a chore: the hash of its source and its title (`wishes/placing/chores.ts`). */
    recurring_title: string | null
  }
  /** The texts that were sent to the model without an answer that could be stored. */
  judgement_tries: {
    request_id: Fixed<string>
    text_hash: string
    /** With this text. */
    tries: number
    next_try_at: Date
  }
  /** How many texts were sent to the model on a UTC day (YYYY-MM-DD). */
  judgement_days: {
    day: Fixed<string>
    judged: number
    /** Pairs of wishes. */
    pairs: Generated<number>
  }
  /** The sources that accounts named in their jobs. */
  account_sources: {
    account_id: Fixed<string>
    platform: Fixed<PlatformName>
    source: Fixed<string>
    named_at: Date
  }
  /** The sources in which unlisted requests were found. */
  request_sources: {
    platform: Fixed<PlatformName>
    source: Fixed<string>
    request_id: Fixed<string>
  }
  /** Which requests can be read again from their platform, and when. */
  request_refreshes: {
    request_id: Fixed<string>
    platform: Fixed<PlatformName>
    /** What the adapter reads it by, such as a node id of GitHub. */
    handle: string
    due_at: Date
    checked_at: Date | null
    /** On how many days in a row the platform did not return it. */
    misses: Generated<number>
    /** YYYY-MM-DD. */
    missed_on: string | null
    claimed_by: string | null
    claimed_until: Date | null
  }
  /** Normalized text for the search index, apart from `requests` so that new votes do not rewrite it. */
  request_texts: {
    request_id: Fixed<string>
    text: string
    /** A `tsvector`: the stems of the text, for searches that need all words. */
    words: GeneratedAlways<string>
  }
  /** The words of the searched texts, for words that are typed in part or wrongly. */
  search_words: {
    word: Fixed<string>
    /** Requests that contain it, without stop words and within the first 150 words of each. */
    requests: number
    /** Whether many requests contain it: a rarely changing column, so that an index may contain it. */
    frequent: GeneratedAlways<boolean>
  }
  /** The engine that searches this database: one row, made at the first start. */
  search_engine: {
    only_row: GeneratedAlways<boolean>
    kind: 'bm25' | 'tsvector'
    chosen_at: Generated<Date>
    /** Average words per text, for `tsvector` ranking; stored, so that all processes rank alike. */
    usual_length: Generated<number>
  }
  /** Words that counted texts gained or lost, until they are added to `search_words`. */
  word_deltas: {
    id: GeneratedAlways<string>
    word: Fixed<string>
    change: Fixed<number>
  }
  /** What was purged and must not be stored again, without any of its text. */
  suppressions: {
    /** SHA-256 of the platform, the kind and the value, in hex. */
    hash: Fixed<string>
    /** The purge that added it, by which it is lifted. */
    purge_id: Fixed<string>
    kind: Fixed<IdentityKind>
    /** Whether the operator named it; others are ids of the requests deleted with it. */
    named: Fixed<boolean>
    created_at: Fixed<Date>
  }
}
