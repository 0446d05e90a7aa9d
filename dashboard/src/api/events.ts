import { ApiError } from './client.ts'

export interface ServerEvent {
  event: string
  data: string
  /** The last id of the stream; empty when there was none. */
  id: string
}

/** Longer than any event of the service; a stream with a longer one is closed. */
const maxEventLength = 4_000_000

/**
 * Reads server-sent events from an answer. Not `EventSource`: it hides the status of a refusal, and only GETs.
 * @param onChunk called for every chunk, also for heartbeats.
 * @throws ApiError with status 0 when the connection breaks.
 */
export async function* readEvents(response: Response, onChunk?: () => void): AsyncGenerator<ServerEvent> {
  if (response.body === null) return
  // Only what lives needs it.
  const { createParser } = await import('eventsource-parser')
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const arrived: ServerEvent[] = []
  let id = ''
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onId: (last) => {
      id = last
    },
    onEvent: ({ event = 'message', data }) => arrived.push({ event, data, id }),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new ApiError(0, null)
    },
  })
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw error instanceof DOMException && error.name === 'AbortError' ? error : new ApiError(0, null)
      })
      if (done) return
      onChunk?.()
      parser.feed(value)
      yield* arrived.splice(0)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
