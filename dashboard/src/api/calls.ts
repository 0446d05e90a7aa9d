import { takeFirstSearch } from '../boot.ts'
import type { wishSearchBody } from '../search/view.ts'
import { answerOf, api, once, send } from './client.ts'
import type { ExportInput, SearchAnswer, SearchInput } from './types.ts'

// The calls that are more than one line: views make the others themselves.

const events = { accept: 'text/event-stream' }

/** An answer that is read as it arrives. */
const streamOf = async (call: Promise<{ response: Response }>): Promise<Response> => (await call).response

/** Searches wishes. The first search of the address was sent by boot.ts, and is not sent again. */
export const searchWishes = (body: ReturnType<typeof wishSearchBody>, signal: AbortSignal): Promise<SearchAnswer> => {
  const sent = takeFirstSearch(JSON.stringify(body))
  return answerOf(
    api.POST('/api/v1/requests/search', { body, signal, fetch: (request) => send(request, { sent }) }),
  ) as Promise<SearchAnswer>
}

/** Searches and collects the topics around the query live; the answer is a stream of events. */
export const expandSearch = (input: SearchInput, idempotencyKey: string, signal: AbortSignal): Promise<Response> =>
  streamOf(
    api.POST('/api/v1/requests/search', {
      body: { ...input, expand: true },
      params: once(idempotencyKey),
      headers: events,
      parseAs: 'stream',
      signal,
    }),
  )

/** A CSV begins with a byte order mark: people open it by a double click, and Excel reads it as UTF-8 only then. */
export const exportRequests = (input: ExportInput, format: 'csv' | 'jsonl', signal: AbortSignal): Promise<Response> =>
  streamOf(
    api.GET('/api/v1/requests/export', {
      params: { query: { ...input, format, ...(format === 'csv' ? { bom: true } : {}) } },
      headers: { accept: '*/*' },
      parseAs: 'stream',
      signal,
    }),
  )

/** The events of a job after `lastEventId`; empty for all. */
export const followJob = (jobId: string, lastEventId: string, signal: AbortSignal): Promise<Response> =>
  streamOf(
    api.GET('/api/v1/scrape/{jobId}/events', {
      params: { path: { jobId }, header: lastEventId === '' ? {} : { 'last-event-id': lastEventId } },
      headers: events,
      parseAs: 'stream',
      signal,
    }),
  )
