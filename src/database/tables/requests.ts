import type { Generated, GeneratedAlways } from 'kysely'
import type { Fixed, IdentityKind, PlatformName } from '../column-types.ts'

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
    /**
     * When a platform with a retention last showed it unchanged, to within a day; null when not since updated_at. Refreshed is
     * the later of the two.
     */
    seen_at: Date | null
    /** original_created_at, or created_at where the platform does not say: what "new" sorts by. */
    posted_at: GeneratedAlways<Date>
  }
  /** The normalised text that the search index covers, apart from `requests` so that fresh votes do not rewrite it. */
  request_texts: {
    request_id: Fixed<string>
    text: string
  }
  /** The words of the searched texts, for words that are typed in part or wrongly. */
  search_words: {
    word: Fixed<string>
    /** How many requests contain it; stop words are not counted, nor more than the first 150 words of a request. */
    requests: number
    /** Whether many requests contain it; a column, because it changes seldom, so an index may contain it. */
    frequent: GeneratedAlways<boolean>
  }
  /** What was purged and must not be stored again, without any of its text. */
  suppressions: {
    /** SHA-256 of the platform, the kind and the value, in hex. */
    hash: Fixed<string>
    /** The purge that added it, by which it is lifted. */
    purge_id: Fixed<string>
    kind: Fixed<IdentityKind>
    /** Whether the operator named it; the others are the ids of the requests that were deleted then. */
    named: Fixed<boolean>
    created_at: Fixed<Date>
  }
}
