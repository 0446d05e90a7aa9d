import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../database/open.ts'
import { describeError } from '../../http/error-handler.ts'
import type { ServiceError } from '../../http/errors.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { toAnswer } from '../../search/answer.ts'
import type { ExpandedSearch, ExpandedSearchInput } from '../../search/live-collection.ts'
import { parseQuery, splitQuery } from '../../search/query.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { Expansion } from '../expansion/expansion.ts'
import { queryTopic } from '../expansion/topics.ts'
import type { Live } from './live.ts'
import type { Collected, LiveCall, LiveEvents } from './live-call.ts'
import { searchUnion } from './union.ts'

const heartbeatMs = 10_000

/** One call's progress as server-sent events, two per collection at most, so none is dropped for slow readers. */
export class LiveEventStream extends Readable implements LiveEvents {
  #heartbeat: NodeJS.Timeout | undefined
  #over = false

  topics(topics: readonly string[]): void {
    this.#send('topics', JSON.stringify({ topics }))
  }

  collection(progress: object): void {
    this.#send('collection', JSON.stringify(progress))
  }

  /** The last event: `result` with the answer, or `error` with the error body and its status. */
  end(event: 'result' | 'error', json: string): void {
    this.#send(event, json)
    this.#over = true
    clearInterval(this.#heartbeat)
    this.push(null)
  }

  #send(event: string, json: string): void {
    this.#write(`event: ${event}\ndata: ${json}\n\n`)
  }

  #write(text: string): void {
    if (!this.#over && !this.destroyed) this.push(text)
  }

  /** Starts the heartbeat on reading: a call refused before its first event leaves no timer behind. */
  override _read(): void {
    if (!this.#over) this.#heartbeat ??= setInterval(() => this.#write(':\n\n'), heartbeatMs).unref()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#over = true
    clearInterval(this.#heartbeat)
    callback(error)
  }
}

export interface ExpandedSearchDependencies {
  database: Database
  searchIndex: SearchIndex
  expansion: Expansion
  live: Live
  /** Maximum duration of the expansion: the platforms need the rest. */
  expansionMs: number
}

const isAbort = (error: unknown) => error instanceof DOMException && ['AbortError', 'TimeoutError'].includes(error.name)

/** Results that were cached when the call started. */
export const countCached = (results: readonly RequestRecord[], startedAt: Date): number =>
  results.filter(({ createdAt }) => new Date(createdAt) < startedAt).length

const acceptsEvents = ({ headers }: FastifyRequest) => headers.accept?.includes('text/event-stream') ?? false

export function createExpandedSearch(dependencies: ExpandedSearchDependencies): ExpandedSearch {
  const { live } = dependencies
  return async (request, reply, input) => {
    // Refuses an unusable query before reserving anything.
    parseQuery(input.query)
    reply.header('cache-control', 'no-store')
    const call: LiveCall<Awaited<ReturnType<typeof readResults>>> = {
      operation: 'expand',
      topic: input.query,
      platforms: input.platforms,
      topicsFor: (signal) => topicsFor(dependencies, input.query, signal),
      read: (collected) => readResults(dependencies, input, collected),
    }
    if (acceptsEvents(request)) return streamAnswer(live, request, reply, call)
    const { text, isReplay } = await live.answer(request, reply, call)
    if (isReplay) reply.header('idempotent-replayed', 'true')
    return reply.type('application/json; charset=utf-8').send(text)
  }
}

/** A query's topics; the query alone if expansion takes too long. */
async function topicsFor(
  { expansion, expansionMs }: ExpandedSearchDependencies,
  query: string,
  signal: AbortSignal,
): Promise<string[]> {
  const { asked } = splitQuery(query)
  try {
    return await expansion.topicsFor(asked, AbortSignal.any([signal, AbortSignal.timeout(expansionMs)]))
  } catch (error) {
    if (!isAbort(error)) throw error
    const topic = queryTopic(asked)
    return topic === null ? [] : [topic]
  }
}

async function readResults(
  { database, searchIndex }: ExpandedSearchDependencies,
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

/** A failure before the first event keeps its own HTTP status; a later one is the last event. */
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
  const first = await Promise.race([begun.promise, answering])
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
