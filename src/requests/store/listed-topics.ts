import { type RawBuilder, sql } from 'kysely'
import { topicKey } from '../../platforms/topic-key.ts'

/** A count of a row of `topics`, with what is not folded into it yet. */
const exact = (count: 'requests' | 'maybe') => sql`(topics.${sql.ref(count)} + (
  select coalesce(sum(unfolded.${sql.ref(count)}), 0) from topic_deltas as unfolded where unfolded.topic_key = topics.key))`

/**
 * Whether a row of `topics` has listed requests. The name of any other topic was typed by an account that collected it from sources
 * of its own, or has no requests: it is not shown to all.
 */
export const isListedTopic = sql<boolean>`(${exact('requests')} > 0 or ${exact('maybe')} > 0)`

/** How a topic is written in requests that are found for it: as all see it, else as this page was collected for it. */
export const topicName = (topic: string): RawBuilder<string> =>
  sql<string>`coalesce((select name from topics where key = ${topicKey(topic)} and ${isListedTopic}), ${topic})`
