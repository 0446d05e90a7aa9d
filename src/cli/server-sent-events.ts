export interface ServerSentEvent {
  id: string
  event: string
  data: string
}

/** Far longer than any event of Wishwell. */
const maxEventLength = 256 * 1024

function parse(block: string): ServerSentEvent | null {
  const fields: ServerSentEvent = { id: '', event: 'message', data: '' }
  for (const line of block.split(/\r\n|[\r\n]/)) {
    const [, name, value = ''] = /^(id|event|data)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data') fields.data += (fields.data === '' ? '' : '\n') + value
    else if (name === 'id' || name === 'event') fields[name] = value
  }
  return fields.data === '' ? null : fields
}

/**
 * Reads the events of a `text/event-stream`, without its comments.
 * @param onBytes called whenever bytes arrive, also for a comment
 * @param maxLength the maximum of one event, in UTF-16 units
 * @throws when the stream breaks, or an event is too long
 */
export async function* readServerSentEvents(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void = () => {},
  maxLength = maxEventLength,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    onBytes()
    rest += decoder.decode(bytes, { stream: true })
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/)
    rest = blocks.pop() ?? ''
    if (rest.length > maxLength) throw new Error('an event without an end')
    for (const block of blocks) {
      const event = parse(block)
      if (event) yield event
    }
  }
}
