import { readEvents } from '../src/cli/api.ts'
import type { TestService } from './service.ts'

export interface ReadEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers, to check it.
  data: any
}

export interface EventReader {
  status: number
  headers: Headers
  /** Held, because undici cancels the unread body of a response that is collected as garbage. */
  response: Response
  /** Everything until the stream ended by itself. */
  rest(): Promise<ReadEvent[]>
  /** Reads on until an event fits, and gives it. */
  until(fits: (event: ReadEvent) => boolean): Promise<ReadEvent>
  close(): void
}

/** Follows a job as a browser does. */
export async function openEvents(
  service: Pick<TestService, 'url' | 'apiKey'>,
  jobId: string,
  lastEventId?: string,
): Promise<EventReader> {
  const abort = new AbortController()
  const response = await fetch(`${service.url}/api/v1/scrape/${jobId}/events`, {
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: abort.signal,
  })
  const events = readEvents(response.body ?? ReadableStream.from([]))
  const next = async (): Promise<ReadEvent | null> => {
    const { value, done } = await events.next()
    if (done) return null
    const { id = '', event = 'message', data } = value
    return { id, event, data: JSON.parse(data) }
  }
  return {
    status: response.status,
    headers: response.headers,
    response,
    rest: async () => {
      const read: ReadEvent[] = []
      for (let event = await next(); event; event = await next()) read.push(event)
      return read
    },
    until: async (fits) => {
      for (let event = await next(); event; event = await next()) if (fits(event)) return event
      throw new Error('the stream ended before such an event')
    },
    close: () => abort.abort(),
  }
}
