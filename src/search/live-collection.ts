// The types through which lists and searches call `collecting/live/`; `app.ts` composes them.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { PlatformName } from '../database/column-types.ts'
import { closed, moment, openWord } from '../http/schemas.ts'
import { platformNames } from '../platforms/registry.ts'
import { platformErrorCode } from '../platforms/schemas.ts'
import type { AnswerInput } from './answer.ts'
import type { ListInput } from './list/list.ts'

/** Why a platform gave nothing for a topic, in the `meta` of an answer that collected live. */
export const collectionErrors = Type.Array(
  closed({
    platform: openWord(platformNames, 'The platform'),
    topic: Type.String(),
    code: platformErrorCode,
    message: Type.String(),
    resumesAt: Type.Optional(moment('When a platform that waits is queried again')),
  }),
  { description: 'What a platform could not give for a topic by the deadline, and why' },
)

const scrapingTimeMs = Type.Integer({ description: 'From call to the end of the collection, in milliseconds' })
const newResultsFound = Type.Integer({ description: 'Requests that the collections of this call added to the cache' })

/** What `meta` has besides when `expand` is true. */
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

export interface RealtimeListInput {
  list: ListInput & { topic: string }
  /** What is collected from. */
  platforms: readonly PlatformName[]
}

/** Answers a list with `source=realtime`: a page of the topic from each platform that is not fresh, and then the list. */
export type RealtimeList = (
  request: FastifyRequest,
  reply: FastifyReply,
  input: RealtimeListInput,
) => Promise<FastifyReply>

export interface ExpandedSearchInput extends AnswerInput {
  /** What is collected from; results are of all platforms, unless the filters say otherwise. */
  platforms: readonly PlatformName[]
}

/** Answers a search with `expand`, as JSON or, where the caller accepts that, as server-sent events that end with it. */
export type ExpandedSearch = (
  request: FastifyRequest,
  reply: FastifyReply,
  input: ExpandedSearchInput,
) => Promise<FastifyReply>
