import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from './answers.ts'
import { type Api, answerOf, once } from './api.ts'
import type { Answer, Body } from './api-types.ts'

/** The pauses between tries; there is one more try than pauses. */
const pausesMs = [500, 1_500]

/**
 * Starts a job, and repeats the call when the answer was lost. All tries send the same `Idempotency-Key`, so the job starts once.
 * @throws ApiError of the last try.
 */
export async function startJob(
  api: Api,
  body: Body<'startScrapeJob'>,
  signal: AbortSignal,
): Promise<Answer<'startScrapeJob'>> {
  const params = { header: once() }
  const start = () => answerOf(api.POST('/api/v1/scrape', { params, body, signal }))
  for (const pauseMs of pausesMs) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof ApiError && error.answerLost)) throw error
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
  return start()
}
