import { type EventSourceMessage, EventSourceParserStream, ParseError } from 'eventsource-parser/stream'
import { ApiError } from './answers.ts'
import { exitCodes } from './exit-codes.ts'

/** Far longer than any event of Wishwell but the result of a search. */
const maxEventLength = 256 * 1024

/**
 * Reads the events of a `text/event-stream`.
 * @param maxLength the maximum of one event, in UTF-16 units
 * @throws the error of the stream; ApiError when an event is too long
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  maxLength = maxEventLength,
): AsyncGenerator<EventSourceMessage> {
  try {
    yield* body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxLength }))
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const message = 'The service sent an event that does not end.'
    throw new ApiError(message, exitCodes.unreachable, { temporary: true, answerLost: true })
  }
}
