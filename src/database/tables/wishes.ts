import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Fixed, FixedWithDefault, PlatformName, RequestStatus, Standing } from '../column-types.ts'

export interface TopicsTables {
  topics: {
    /** Case-folded, with collapsed spaces: equal for equal topics. */
    key: Fixed<string>
    /** Its first spelling. */
    name: Fixed<string>
    created_at: Fixed<Date>
    /** Number of its requests and sum of their votes, without what is still in `topic_deltas`. */
    requests: GeneratedAlways<number>
    votes: GeneratedAlways<number>
    /** Its additional maybe requests, without what is still in `topic_deltas`. */
    maybe: GeneratedAlways<number>
    /** When a platform last delivered a page of it. */
    collected_at: FixedWithDefault<Date>
    /** Only collected by expansions so far: not listed. */
    from_expansion: Generated<boolean>
  }
  /** Topics of a request, with copies of the columns that topic lists filter and sort by. */
  request_topics: {
    request_id: Fixed<string>
    topic_key: Fixed<string>
    found_at: Fixed<Date>
    platform: Fixed<PlatformName>
    posted_at: Fixed<Date>
    votes: Fixed<number>
    tags: Fixed<string[]>
    standing: Fixed<Standing>
  }
  /** A topic's requests per platform, posting day or tag, without `topic_deltas`; no row for zero. */
  topic_counts: {
    topic_key: GeneratedAlways<string>
    kind: GeneratedAlways<'platform' | 'day' | 'tag'>
    /** A platform, UTC day (YYYY-MM-DD), or tag. */
    value: GeneratedAlways<string>
    requests: GeneratedAlways<number>
    votes: GeneratedAlways<number>
  }
  /** Changes to a topic's counts, until folded into them. */
  topic_deltas: {
    id: GeneratedAlways<string>
    topic_key: GeneratedAlways<string>
    requests: GeneratedAlways<number>
    votes: GeneratedAlways<number>
    maybe: GeneratedAlways<number>
    /** Columns of `topic_counts`, as arrays of equal length. */
    kinds: GeneratedAlways<string[]>
    parts: GeneratedAlways<string[]>
    part_requests: GeneratedAlways<number[]>
    part_votes: GeneratedAlways<number[]>
  }
}

/** A wish's numbers in a view; derived, written only by `recount`. */
interface WishNumberColumns {
  requests: GeneratedAlways<number>
  votes: GeneratedAlways<number>
  own_requests: GeneratedAlways<number>
  own_votes: GeneratedAlways<number>
  platforms: GeneratedAlways<PlatformName[]>
  first_asked_at: GeneratedAlways<Date | null>
  last_asked_at: GeneratedAlways<Date | null>
  status: GeneratedAlways<RequestStatus | null>
  top_request_id: GeneratedAlways<string | null>
}

interface CopiedColumns {
  request_id: GeneratedAlways<string>
  platform: GeneratedAlways<PlatformName>
  status: GeneratedAlways<RequestStatus | null>
  standing: GeneratedAlways<Standing>
  votes: GeneratedAlways<number>
  posted_at: GeneratedAlways<Date>
  tags: GeneratedAlways<string[]>
  product: GeneratedAlways<string | null>
}

export interface WishesTables {
  /** Sets of requests for the same thing. A request without a row in `wish_members` is its own wish, by its id. */
  wishes: WishNumberColumns & {
    id: Fixed<string>
    created_at: FixedWithDefault<Date>
    compared_at: Generated<Date>
  }
  wish_members: {
    request_id: Fixed<string>
    wish_id: string
    is_core: Generated<boolean>
    similarity: number | null
    joined_at: Generated<Date>
  }
  wish_queue: {
    request_id: Fixed<string>
    position: Generated<string>
    claimed_by: string | null
    claimed_until: Date | null
  }
  account_wish_members: {
    account_id: Fixed<string>
    request_id: Fixed<string>
    wish_id: string
    correction_id: string
  }
  account_wish_merges: {
    account_id: Fixed<string>
    wish_id: Fixed<string>
    into_wish_id: string
    correction_id: string
  }
  account_wishes: WishNumberColumns & {
    account_id: Fixed<string>
    wish_id: Fixed<string>
  }
  wish_corrections: {
    id: Generated<string>
    account_id: Fixed<string | null>
    kind: Fixed<'merge' | 'split' | 'part' | 'skip'>
    made_by: Fixed<string>
    created_at: Fixed<Date>
    undone_at: Date | null
    undone_by: string | null
    /** The order in which they apply. */
    sequence: GeneratedAlways<number>
    from_wish_id: Fixed<string>
    to_wish_id: Fixed<string>
  }
  /** Derived from valid corrections: each corrected request's wish. */
  wish_placings: {
    account_id: Fixed<string | null>
    source_hash: Fixed<string>
    request_id: string
    wish_id: string
    is_split: boolean
    correction_id: string
  }
  wish_moves: {
    correction_id: Fixed<string>
    source_hash: Fixed<string>
    from_wish_id: Fixed<string>
    to_wish_id: Fixed<string>
  }
  wish_partings: {
    correction_id: Fixed<string>
    account_id: Fixed<string | null>
    one_hash: Fixed<string>
    other_hash: Fixed<string>
    is_skipped: Generated<boolean>
  }
  wish_suggestions: {
    suggestion_id: Generated<string>
    one_id: Fixed<string>
    other_id: Fixed<string>
    found_by: Fixed<string>
    similarity: number
    priority: number
    judged_same: boolean | null
    claimed_until: Date | null
  }
  wish_marks: {
    account_id: Fixed<string>
    wish_id: Fixed<string>
    mark: 'planned' | 'done' | 'ignored' | null
    starred: boolean
    note: string
    owner: string
    made_by: string
    updated_at: Date
  }
  saved_views: {
    id: Generated<string>
    account_id: Fixed<string>
    name: string
    view: ColumnType<Record<string, unknown>, string, string>
    period_days: number | null
    created_at: Fixed<Date>
    updated_at: Date
  }
  briefs: {
    id: Generated<string>
    account_id: Fixed<string>
    /** SHA-256 (hex) of the whole document as made. */
    snapshot: Fixed<string>
    request: ColumnType<Record<string, unknown>, string, never>
    /** The document with references in place of its parts. */
    head: ColumnType<Record<string, unknown>, string, never>
    parts: Fixed<number>
    created_at: Fixed<Date>
  }
  /** Parts deleted with any of these requests. */
  brief_parts: {
    brief_id: Fixed<string>
    part: Fixed<number>
    request_ids: Fixed<string[]>
    content: ColumnType<unknown, string, never>
  }
  /** What accounts share with whoever has the address, without a key. */
  shares: {
    id: Generated<string>
    account_id: Fixed<string>
    /** Exactly one of these four is set. */
    wish_id: Fixed<string | null>
    topic: Fixed<string | null>
    view: ColumnType<Record<string, unknown> | null, string | null, never>
    brief_id: Fixed<string | null>
    /** The maker's title; null: that of its content. */
    title: Fixed<string | null>
    with_notes: Fixed<boolean>
    token_hash: Fixed<string>
    /** The token's first characters, to tell shares apart. */
    hint: Fixed<string>
    created_at: Fixed<Date>
    made_by: Fixed<string | null>
    /** Whom the link that opened the maker's session was for; null if unnamed. */
    person_name: Fixed<string | null>
    expires_at: Fixed<Date>
    /** To within a UTC day; null: never. */
    last_opened_at: Date | null
  }
  /** Narrow copies of the columns that lists and wishes filter and sort by. */
  request_facets: CopiedColumns & {
    confidence: GeneratedAlways<number>
  }
  /** Requests indexed by the words of their texts, with copies of what searches filter, sort and count by. */
  searchable_requests: CopiedColumns & {
    /** Grows with each change of the words; the index of words has it. */
    words_version: GeneratedAlways<number>
  }
  /** Requests of large imports without search texts yet. */
  unwritten_texts: {
    request_id: Fixed<string>
  }
  /** Listed texts the vocabulary does not count yet. */
  uncounted_texts: {
    request_id: Fixed<string>
  }
}
