import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Executor } from '../../database/open.ts'
import { type BackgroundRun, createBackgroundRun } from '../../runtime/background-run.ts'

/** The maximum rows that one statement fills: it parses their texts, and in the embedded backend all other statements wait for it. */
const maxSliceRows = 50
/** After a slice, other work has the database to itself for so many times as long as the slice took. */
const pauseFactor = 3

/**
 * Fills `request_texts.words` for requests of older versions: one slice. A row that another process fills meanwhile is passed over.
 * @returns whether there may be more.
 */
export async function fillStoredWords(executor: Executor, rows = maxSliceRows): Promise<boolean> {
  const result = await sql`
    -- The requests are locked, too: a trigger copies their columns, which must not change meanwhile.
    with unfilled as materialized (
      select request_id from request_texts join requests on requests.id = request_id where words is null
      limit ${sql.lit(rows)} for no key update skip locked
    )
    update request_texts set words = to_tsvector('wishwell', text) from unfilled
    where request_texts.request_id = unfilled.request_id`.execute(executor)
  return (result.numAffectedRows ?? 0n) === BigInt(rows)
}

/** Whether every stored text has its words: an index of those without makes this one probe. */
export async function areWordsStored(executor: Executor): Promise<boolean> {
  const { rows } = await sql<{ complete: boolean }>`
    select not exists (select from request_texts where words is null) as complete`.execute(executor)
  return rows[0]!.complete
}

/** Fills all words that are missing; takes minutes on a full table of an older version. */
export async function fillAllStoredWords(database: Database): Promise<void> {
  while (await fillStoredWords(database)) {
    // Slice by slice, so that no transaction is long.
  }
}

/** Fills the words of requests of older versions, in the background, until none is left. What a stop leaves is filled after the next start. */
export const createStoredWords = (database: Database, log: Pick<Logger, 'error'>): BackgroundRun =>
  createBackgroundRun({
    step: () => fillStoredWords(database),
    pauseFactor,
    onError: (error) => log.error({ err: error }, 'filling the words of stored requests failed'),
  })
