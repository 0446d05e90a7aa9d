import { type Static, Type } from 'typebox'
import { duration } from '../../runtime/duration.ts'

/** The environment variables of live calls: part of the schema in `config.ts`, which alone reads them. */
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

const schema = Type.Object(liveVariables)

export type LiveEnvironment = Static<typeof schema>

export interface LiveConfig {
  /** How long a topic is fresh on a platform. */
  topicTtlMs: number
  /** From a live call to its answer. */
  liveDeadlineMs: number
}

/** Interprets the variables of live calls. */
export const readLiveConfig = (environment: LiveEnvironment): LiveConfig => ({
  topicTtlMs: environment.TOPIC_TTL_MINUTES,
  liveDeadlineMs: environment.LIVE_DEADLINE_SECONDS,
})
