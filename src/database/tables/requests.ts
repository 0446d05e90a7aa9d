import type { Generated, GeneratedAlways } from 'kysely'
import type { Fixed, IdentityKind, PlatformName, RequestStatus, Standing } from '../column-types.ts'

/** `creating` in the cluster, `building` from all requests, `serving` searches, or `retired` for deletion. */
export type IndexState = 'creating' | 'building' | 'serving' | 'retired'

export interface SearchTables {
  /** Requests that a transaction changed, created or deleted, as far as an index has them. */
  search_changes: {
    /** A 64-bit number as text. */
    transaction_id: Fixed<string>
    request_id: Fixed<string>
    noted_at: Fixed<Date>
  }
  /** Indexes outside the database that follow the changes. */
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
  /** Indexes of requests in a search cluster. */
  search_indexes: {
    name: Fixed<string>
    /** The serving index's alias, equal for all. */
    alias: Fixed<string>
    state: IndexState
    /** Version of the indexed fields. */
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
    /** The topic that first collected it, as its job spelled it. */
    topic: Fixed<string>
    original_created_at: Date | null
    created_at: Fixed<Date>
    updated_at: Date
    /** Last unchanged sighting, to the day, for platforms with a retention; null if not since updated_at. */
    seen_at: Date | null
    /** original_created_at, or created_at if the platform gives no date: "new" sorts by it. */
    posted_at: GeneratedAlways<Date>
    /** Probability of a feature request, 0 to 1. */
    confidence: number
    /** Class in the shared view; accounts may see another one (`account_requests`). */
    standing: Generated<Standing>
    status: RequestStatus | null
    status_changed_at: Date | null
    /** `status_changed_at` is when the change was observed: the platform gives no date. */
    status_observed: Generated<boolean>
    excerpt: Generated<boolean>
    /** Repository, project, site, forum category, community or video it was posted in. */
    source_name: string | null
    /** The source's product; null if it has no single one. */
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
    /** Hash of its id on the platform (`requests/identity.ts`). */
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
    source_hash: Fixed<string>
    /** The request as drawn, which may be deleted. */
    request_id: Fixed<string>
    /** Monday of the week of the draw, YYYY-MM-DD. */
    week: Fixed<string>
    /** The owner's class for it, the confidence behind it, and the number of texts in that class. */
    standing: Fixed<Standing>
    confidence: Fixed<number>
    population: Fixed<number>
    /** The class thresholds, as one word. */
    thresholds: Fixed<string>
  }
  /** Confidence a model gave a maybe text, or placing gave a chore; valid while the text has this hash. */
  request_judgements: {
    request_id: Fixed<string>
    text_hash: string
    confidence: number
    judged_at: Date
    /** Chores only: hash of source and title (`wishes/placing/chores.ts`). */
    recurring_title: string | null
  }
  /** Texts sent to the model without a usable answer. */
  judgement_tries: {
    request_id: Fixed<string>
    text_hash: string
    tries: number
    next_try_at: Date
  }
  /** Texts sent to the model on a UTC day (YYYY-MM-DD). */
  judgement_days: {
    day: Fixed<string>
    judged: number
    /** Pairs of wishes. */
    pairs: Generated<number>
  }
  /** Sources that accounts named in jobs. */
  account_sources: {
    account_id: Fixed<string>
    platform: Fixed<PlatformName>
    source: Fixed<string>
    named_at: Date
  }
  /** Sources in which unlisted requests were found. */
  request_sources: {
    platform: Fixed<PlatformName>
    source: Fixed<string>
    request_id: Fixed<string>
  }
  /** Requests that can be read again, and when. */
  request_refreshes: {
    request_id: Fixed<string>
    platform: Fixed<PlatformName>
    /** The adapter's handle, such as a GitHub node id. */
    handle: string
    due_at: Date
    checked_at: Date | null
    /** Consecutive days on which the platform did not return it. */
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
    /** `tsvector` of stems, for searches that need all words. */
    words: GeneratedAlways<string>
  }
  /** Words of searched texts, for partial or misspelled queries. */
  search_words: {
    word: Fixed<string>
    /** Requests that contain it, without stop words and within the first 150 words of each. */
    requests: number
    /** Whether many requests contain it: a rarely changing column, so that an index may contain it. */
    frequent: GeneratedAlways<boolean>
  }
  /** The engine that searches this database: one row, from the first start. */
  search_engine: {
    only_row: GeneratedAlways<boolean>
    kind: 'bm25' | 'tsvector'
    chosen_at: Generated<Date>
    /** Average words per text, for `tsvector` ranking; stored, so that all processes rank alike. */
    usual_length: Generated<number>
  }
  /** Words that counted texts gained or lost, until added to `search_words`. */
  word_deltas: {
    id: GeneratedAlways<string>
    word: Fixed<string>
    change: Fixed<number>
  }
  /** Purged identities that must not be stored again, without text. */
  suppressions: {
    hash: Fixed<string>
    /** The purge that added it; lifting it removes this. */
    purge_id: Fixed<string>
    kind: Fixed<IdentityKind>
    /** Whether the operator named it; others are ids of the requests deleted with it. */
    named: Fixed<boolean>
    created_at: Fixed<Date>
  }
}
