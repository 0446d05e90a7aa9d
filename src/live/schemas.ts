import { type Static, Type } from 'typebox'
import { closed, oneOf } from '../http/schemas.ts'
import { platformErrorCodes, platformNames } from '../platforms/platform.ts'

/** Why a platform gave nothing for a topic, in the `meta` of an answer that collected live. */
export const collectionErrors = Type.Array(
  closed({
    platform: oneOf(platformNames),
    topic: Type.String(),
    code: oneOf(platformErrorCodes),
    message: Type.String(),
  }),
  { description: 'What a platform could not give for a topic by the deadline, and why' },
)

const scrapingTimeMs = Type.Integer({ description: 'From call to answer, in milliseconds' })
const newResultsFound = Type.Integer({ description: 'Requests that the collections of this call added to the cache' })

/** What `meta` has besides when `expand` is true (spec 4.3). */
export const expansionMeta = {
  expandedTopics: Type.Array(Type.String(), { description: 'What was collected; the query itself is the first' }),
  topicsScraped: Type.Integer({ description: 'Topics of which at least one platform delivered a page' }),
  topicsSkipped: Type.Integer({ description: 'Topics that were fresh on all platforms of the call' }),
  newResultsFound,
  scrapingTimeMs,
  errors: collectionErrors,
}

/** The `meta` of a list with `source=realtime`. */
export const realtimeMeta = closed({ newResultsFound, scrapingTimeMs, errors: collectionErrors })

export type RealtimeMeta = Static<typeof realtimeMeta>
