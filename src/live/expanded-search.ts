import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../database/open.ts'
import type { Expansion } from '../expansion/expansion.ts'
import { queryTopic } from '../expansion/topics.ts'
import { describeError } from '../http/error-handler.ts'
import type { ServiceError } from '../http/errors.ts'
import type { ExpandedSearch, ExpandedSearchInput } from '../requests/live-collection.ts'
import type { RequestRecord } from '../requests/record.ts'
import { toAnswer } from '../requests/search/answer.ts'
import { parseQuery, splitQuery } from '../requests/search/query.ts'
import type { SearchIndex } from '../requests/search/search-index.ts'
import { LiveEventStream } from './event-stream.ts'
import type { Collected, Live, LiveCall, LiveEvents } from './live.ts'
import { searchUnion } from './union.ts'

export interface ExpandedSearchDependencies {
  database: Database
  searchIndex: SearchIndex
  expansion: Expansion
  live: Live
  /** How long topics may be thought of: the platforms need the rest of the time. */
  thinkingMs: number
}

const isAbort = (error: unknown) => error instanceof DOMException && ['AbortError', 'TimeoutError'].includes(error.name)

/** Results that were in the cache when the call began. */
export const countCached = (results: readonly RequestRecord[], startedAt: Date): number =>
  results.filter(({ createdAt }) => new Date(createdAt) < startedAt).length

const acceptsEvents = ({ headers }: FastifyRequest) => headers.accept?.includes('text/event-stream') ?? false

export function createExpandedSearch(dependencies: ExpandedSearchDependencies): ExpandedSearch {
  const { database, searchIndex, expansion, live, thinkingMs } = dependencies

  async function read(
    { platforms: _platforms, highlight = false, ...search }: ExpandedSearchInput,
    collected: Collected,
  ) {
    const { topics, topicsScraped, topicsSkipped, newResultsFound, errors, startedAt } = collected
    const page = await searchUnion(database, searchIndex, { ...search, topics })
    const { data, meta } = await toAnswer(database, { query: search.query, highlight }, page)
    return {
      data,
      meta: {
        ...meta,
        cachedResults: countCached(page.results, startedAt),
        expanded: true,
        expandedTopics: topics,
        topicsScraped,
        topicsSkipped,
        newResultsFound,
        errors,
      },
    }
  }
  /** What a model thinks of too slowly is not collected; the query itself is. */
  const topicsFor = async (query: string, signal: AbortSignal): Promise<string[]> => {
    const { asked } = splitQuery(query)
    try {
      return await expansion.topicsFor(asked, AbortSignal.any([signal, AbortSignal.timeout(thinkingMs)]))
    } catch (error) {
      if (!isAbort(error)) throw error
      const topic = queryTopic(asked)
      return topic === null ? [] : [topic]
    }
  }
  const callOf = (input: ExpandedSearchInput): LiveCall<Awaited<ReturnType<typeof read>>> => ({
    operation: 'expand',
    platforms: input.platforms,
    topicsFor: (signal) => topicsFor(input.query, signal),
    read: (collected) => read(input, collected),
  })

  return async (request, reply, input) => {
    // What cannot be asked is refused before anything is reserved.
    parseQuery(input.query)
    reply.header('cache-control', 'no-store')
    const call = callOf(input)
    if (acceptsEvents(request)) return streamAnswer(live, request, reply, call)
    const { text, isReplay } = await live.answer(request, reply, call)
    if (isReplay) reply.header('idempotent-replayed', 'true')
    return reply.type('application/json; charset=utf-8').send(text)
  }
}

/** What fails before there is anything to tell is answered with its own status; later it is the last event. */
async function streamAnswer<Answer extends { meta: object }>(
  live: Live,
  request: FastifyRequest,
  reply: FastifyReply,
  call: LiveCall<Answer>,
): Promise<FastifyReply> {
  const stream = new LiveEventStream()
  const begun = Promise.withResolvers<void>()
  const events: LiveEvents = {
    topics: (topics) => {
      stream.topics(topics)
      begun.resolve()
    },
    collection: (progress) => stream.collection(progress),
  }
  const answering = live.answer(request, reply, { ...call, events })
  const first = await Promise.race([begun.promise, answering]).catch((error: unknown) => {
    // Nobody will read it, so nobody else ends its heartbeat.
    stream.destroy()
    throw error
  })
  if (first?.isReplay) reply.header('idempotent-replayed', 'true')
  answering.then(
    ({ text }) => stream.end('result', text),
    (error: ServiceError) => {
      const { status, body } = describeError(error, request)
      stream.end('error', JSON.stringify({ status, ...body }))
    },
  )
  return reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').send(stream)
}
