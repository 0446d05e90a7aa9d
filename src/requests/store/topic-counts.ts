import { type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Database, OpenDatabase } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import { type BackgroundRun, createBackgroundRun, wakeOn } from '../../runtime/background-run.ts'
import { countSlice } from '../words/uncounted-texts.ts'

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

/** The name is in the triggers that notify (`database/schema/request-copies.sql`). */
const channel = 'wishwell_uncounted_texts'
/** How long after a page its words are counted and its differences folded: what several pages have in common is then written once. */
const delayMs = 500
/** After a slice, other work has the database to itself for so many times as long as the slice took. */
const pauseFactor = 4

/** A slice of each kind. @returns whether there may be more. */
async function foldSlice(database: Database): Promise<boolean> {
  const moreTopics = await foldTopicCounts(database)
  return (await countSlice(database)) || moreTopics
}

/** Folds counts of topics and counts words soon after pages were stored, by this process or another, and at once what was left. */
export async function startFolding(
  { database, listen }: Pick<OpenDatabase, 'database' | 'listen'>,
  log: Pick<Logger, 'error'>,
): Promise<BackgroundRun> {
  const folding = createBackgroundRun({
    step: () => foldSlice(database),
    pauseFactor,
    onError: (error) => log.error({ err: error }, 'folding counts failed'),
  })
  return wakeOn(folding, { listen, channel, delayMs })
}

/** The maximum statements whose differences one transaction folds: in the embedded backend all other statements wait for it. */
const maxSliceRows = 20

/**
 * Adds a slice of the differences that statements appended (`topic_deltas`) to the counts of topics. What takes a row away adds it in the same
 * transaction, so an interrupted slice is folded by the next one.
 * @returns whether there may be more.
 */
export async function foldTopicCounts(database: Database, sliceRows = maxSliceRows): Promise<boolean> {
  const folded = await database.transaction().execute(async (transaction) => {
    await takeLock(transaction, 'topicCounts')
    // A statement of its own: it must see what the lock was waited for.
    const { rows } = await sql<{ folded: number }>`select fold_topic_deltas(${sliceRows}::integer) as folded`.execute(
      transaction,
    )
    return rows[0]!.folded
  })
  return folded === sliceRows
}

/** Adds all differences to the counts of topics. */
export async function foldAllTopicCounts(database: Database): Promise<void> {
  while (await foldTopicCounts(database));
}
