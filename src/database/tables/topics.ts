import type { Generated, GeneratedAlways } from 'kysely'
import type { Fixed, FixedWithDefault, PlatformName, Standing } from '../column-types.ts'

export interface TopicsTables {
  topics: {
    /** Case-folded, spaces collapsed: what makes two topics the same. */
    key: Fixed<string>
    /** As it was first spelt. */
    name: Fixed<string>
    created_at: Fixed<Date>
    /** The number of its requests, and the sum of their votes, without what is still in `topic_deltas`. */
    requests: GeneratedAlways<number>
    votes: GeneratedAlways<number>
    /** How many more of its requests are of the class maybe, without what is still in `topic_deltas`. */
    maybe: GeneratedAlways<number>
    /** When a platform last delivered a page of it. */
    collected_at: FixedWithDefault<Date>
    /** Whether only expansions have collected it: then it is in no list. */
    from_expansion: Generated<boolean>
  }
  /** The topics of a request, with copies of the columns that lists of a topic filter and sort by. */
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
  /** The number of a topic's requests per platform, day of posting or tag; no row for zero. Without what is still in `topic_deltas`. */
  topic_counts: {
    topic_key: GeneratedAlways<string>
    kind: GeneratedAlways<'platform' | 'day' | 'tag'>
    /** A platform, a UTC day as YYYY-MM-DD, or a tag. */
    value: GeneratedAlways<string>
    requests: GeneratedAlways<number>
    /** Of a platform only. */
    votes: GeneratedAlways<number>
  }
  /** What statements changed in the counts of a topic, until it is folded into them. */
  topic_deltas: {
    id: GeneratedAlways<string>
    topic_key: GeneratedAlways<string>
    requests: GeneratedAlways<number>
    votes: GeneratedAlways<number>
    maybe: GeneratedAlways<number>
    /** The columns of `topic_counts`, as arrays of equal length. */
    kinds: GeneratedAlways<string[]>
    parts: GeneratedAlways<string[]>
    part_requests: GeneratedAlways<number[]>
    part_votes: GeneratedAlways<number[]>
  }
}
