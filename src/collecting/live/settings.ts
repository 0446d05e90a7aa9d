import { type Static, Type } from 'typebox'

/** The environment variables of live calls: part of the schema in `config.ts`, which alone reads them. */
export const liveVariables = {
  TOPIC_TTL_MINUTES: Type.Integer({
    minimum: 0,
    maximum: 30 * 24 * 60,
    default: 360,
    description:
      'how long a topic stays fresh: expanded searches and `source=realtime` do not collect it again from a platform that delivered a page of it',
  }),
  LIVE_DEADLINE_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 60,
    default: 15,
    description:
      'how long an expanded search or a list with `source=realtime` waits for its platforms; later pages are stored for the next call',
  }),
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
  topicTtlMs: environment.TOPIC_TTL_MINUTES * 60_000,
  liveDeadlineMs: environment.LIVE_DEADLINE_SECONDS * 1_000,
})
