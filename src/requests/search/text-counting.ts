import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { OpenDatabase } from '../../database/open.ts'
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
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let underWay = Promise.resolve()
  const run = async () => {
    for (let more = true; more && !isStopped; ) {
      const startedAt = performance.now()
      more = await countSlice(database)
      if (more) await sleep((performance.now() - startedAt) * pauseFactor)
    }
  }
  const wake = () => {
    if (isStopped || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      underWay = underWay.then(run).catch((error: unknown) => log.error({ err: error }, 'counting words failed'))
    }, delayMs).unref()
  }
  const stopListening = await listen(channel, wake)
  wake()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await stopListening()
      await underWay
    },
  }
}
