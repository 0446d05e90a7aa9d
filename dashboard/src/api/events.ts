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
 * Reads server-sent events from an answer (WHATWG HTML, 9.2.6). Not `EventSource`: it hides the status of a refusal, and only GETs.
 * @param onChunk called for every chunk, also for heartbeats.
 * @throws ApiError with status 0 when the connection breaks.
 */
export async function* readEvents(response: Response, onChunk?: () => void): AsyncGenerator<ServerEvent> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let id = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw error instanceof DOMException && error.name === 'AbortError' ? error : new ApiError(0, null)
      })
      if (done) return
      onChunk?.()
      text += value
      if (text.length > maxEventLength) throw new ApiError(0, null)
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const parsed = parseBlock(block, id)
        id = parsed.id
        if (parsed.data !== null) yield { event: parsed.event, data: parsed.data, id }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseBlock(block: string, lastId: string): { event: string; data: string | null; id: string } {
  let event = 'message'
  let id = lastId
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    else if (field === 'data') data.push(value)
    else if (field === 'id') id = value
  }
  return { event, data: data.length > 0 ? data.join('\n') : null, id }
}
