import type { Logger } from 'pino'
import type { OpenDatabase } from '../../database/open.ts'
import { createBackgroundRun } from '../../runtime/background-run.ts'
import { countSlice } from './uncounted-texts.ts'

/** The name is in the trigger that notifies (`database/migrations/version-3/storing.ts`). */
const channel = 'wishwell_uncounted_texts'
/** How long after a page its words are counted: words that several pages have in common are then written once. */
const delayMs = 500
/** After a slice, other work has the database to itself for so many times as long as the slice took. */
const pauseFactor = 4

export interface TextCounting {
  /** Stops listening, and ends the run after the slice that is under way. What is left is counted after the next start. */
  stop(): Promise<void>
}

/** Counts new texts soon after they were stored, by this process or another, and at once those that were left uncounted. */
export async function startTextCounting(
  { database, listen }: Pick<OpenDatabase, 'database' | 'listen'>,
  log: Pick<Logger, 'error'>,
): Promise<TextCounting> {
  const counting = createBackgroundRun({
    step: () => countSlice(database),
    pauseFactor,
    onError: (error) => log.error({ err: error }, 'counting words failed'),
  })
  const wake = () => counting.startSoon(delayMs)
  const stopListening = await listen(channel, wake)
  wake()
  return {
    stop: async () => {
      await Promise.all([counting.stop(), stopListening()])
    },
  }
}
