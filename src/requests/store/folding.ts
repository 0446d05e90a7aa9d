import type { Logger } from 'pino'
import type { Database, OpenDatabase } from '../../database/open.ts'
import { type BackgroundRun, createBackgroundRun, wakeOn } from '../../runtime/background-run.ts'
import { countSlice } from '../words/uncounted-texts.ts'
import { foldTopicCounts } from './topic-counts.ts'

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
