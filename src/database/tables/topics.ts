import type { GeneratedAlways } from 'kysely'
import type { Fixed, FixedWithDefault, PlatformName } from '../column-types.ts'

export interface TopicsTables {
  topics: {
    /** Case-folded, spaces collapsed: what makes two topics the same. */
    key: Fixed<string>
    /** As it was first spelt. */
    name: Fixed<string>
    created_at: Fixed<Date>
    /** How many requests it has now, and their votes together; triggers keep both. */
    requests: GeneratedAlways<number>
    votes: GeneratedAlways<number>
    /** When a platform last delivered a page of it; a trigger moves it on. */
    collected_at: FixedWithDefault<Date>
  }
  /** Which topics a request belongs to, with the columns that lists of a topic filter and sort by, as triggers keep them. */
  request_topics: {
    request_id: Fixed<string>
    topic_key: Fixed<string>
    found_at: Fixed<Date>
    /** Null only inside of the statement that inserts a row without it. */
    platform: Fixed<PlatformName | null>
    posted_at: Fixed<Date | null>
    votes: Fixed<number | null>
    tags: Fixed<string[] | null>
  }
  /** How many of a topic's requests have the same platform, day of posting or tag; none without any. Only triggers write it. */
  topic_counts: {
    topic_key: GeneratedAlways<string>
    kind: GeneratedAlways<'platform' | 'day' | 'tag'>
    /** A platform, a UTC day as YYYY-MM-DD, or a tag. */
    value: GeneratedAlways<string>
    requests: GeneratedAlways<number>
    /** Of a platform only. */
    votes: GeneratedAlways<number>
  }
}
