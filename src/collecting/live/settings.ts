import type { Static, TObject } from 'typebox'
import { duration } from '../../runtime/duration.ts'

/** Environment variables of live calls: part of the schema in `config.ts`, which alone reads them. */
export const liveVariables = {
  TOPIC_TTL_MINUTES: duration(
    { bareUnit: 'm', minimum: '0m', maximum: '30d' },
    '6h',
    'how long a topic stays fresh: expanded searches and `source=realtime` do not collect it again from a platform that delivered a page of it',
  ),
  LIVE_DEADLINE_SECONDS: duration(
    { bareUnit: 's', minimum: '1s', maximum: '60s' },
    '15s',
    'how long an expanded search or a list with `source=realtime` waits for its platforms; later pages are stored for the next call',
  ),
}

export type LiveEnvironment = Static<TObject<typeof liveVariables>>

export type LiveConfig = ReturnType<typeof readLiveConfig>

/** Reads the live call variables. */
export const readLiveConfig = (environment: LiveEnvironment) => ({
  /** How long a topic is fresh on a platform. */
  topicTtlMs: environment.TOPIC_TTL_MINUTES,
  /** Duration of a live call until its answer. */
  liveDeadlineMs: environment.LIVE_DEADLINE_SECONDS,
})
