import { type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Database, OpenDatabase } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import { type BackgroundRun, createBackgroundRun, wakeOn } from '../../runtime/background-run.ts'
import { countSlice } from '../words/uncounted-texts.ts'

/** A topic's count plus its unfolded differences. */
const exact = (count: 'requests' | 'maybe') => sql`(topics.${sql.ref(count)} + (
  select coalesce(sum(unfolded.${sql.ref(count)}), 0) from topic_deltas as unfolded where unfolded.topic_key = topics.key))`

/** Whether a topic has listed requests. Other names may be private: an account typed them for its own sources. */
export const isListedTopic = sql<boolean>`(${exact('requests')} > 0 or ${exact('maybe')} > 0)`

/** A topic's shared spelling, else the one that this page was collected for. */
export const topicName = (topic: string): RawBuilder<string> =>
  sql<string>`coalesce((select name from topics where key = ${topicKey(topic)} and ${isListedTopic}), ${topic})`

/** Also in the notifying triggers (`database/schema/request-copies.sql`). */
const channel = 'wishwell_uncounted_texts'
/** Delay before counting words and folding differences, so that several pages share the writes. */
const delayMs = 500
/** Pause after a slice, as a multiple of its duration, to leave the database to other work. */
const pauseFactor = 4

async function foldSlice(database: Database): Promise<boolean> {
  const moreTopics = await foldTopicCounts(database)
  return (await countSlice(database)) || moreTopics
}

/** Folds topic counts and counts words soon after any process stored pages; handles leftovers at once. */
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

/** Statements folded per transaction: in the embedded backend, all other statements wait for it. */
const maxSliceRows = 20

/** Atomically folds a slice of `topic_deltas` into the topics' counts. @returns whether there may be more. */
export async function foldTopicCounts(database: Database, sliceRows = maxSliceRows): Promise<boolean> {
  const folded = await database.transaction().execute(async (transaction) => {
    await takeLock(transaction, 'topicCounts')
    // A separate statement, to see what was committed while waiting for the lock.
    const { rows } = await sql<{ folded: number }>`select fold_topic_deltas(${sliceRows}::integer) as folded`.execute(
      transaction,
    )
    return rows[0]!.folded
  })
  return folded === sliceRows
}

/** Folds all differences into the counts of topics. */
export async function foldAllTopicCounts(database: Database): Promise<void> {
  while (await foldTopicCounts(database));
}
