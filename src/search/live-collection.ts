// Types through which lists and searches call `collecting/live/`, wired up in `app.ts`.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { PlatformName } from '../database/column-types.ts'
import { closed, moment, openWord } from '../http/schemas.ts'
import { platformNames } from '../platforms/registry.ts'
import { platformErrorCode } from '../platforms/schemas.ts'
import type { AnswerInput } from './answer.ts'
import type { ListInput } from './list/list.ts'

/** Why a platform returned nothing for a topic, in the `meta` of a live answer. */
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

/** Additional `meta` with `expand`. */
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
  platforms: readonly PlatformName[]
}

/** Answers a list with `source=realtime`: collects a page from each stale platform, then lists. */
export type RealtimeList = (
  request: FastifyRequest,
  reply: FastifyReply,
  input: RealtimeListInput,
) => Promise<FastifyReply>

export interface ExpandedSearchInput extends AnswerInput {
  /** The platforms to collect from; results come from all platforms unless filtered. */
  platforms: readonly PlatformName[]
}

/** Answers a search with `expand`, as JSON or, if the caller accepts it, as a stream of server-sent events. */
export type ExpandedSearch = (
  request: FastifyRequest,
  reply: FastifyReply,
  input: ExpandedSearchInput,
) => Promise<FastifyReply>
