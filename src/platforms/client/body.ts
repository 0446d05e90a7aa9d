import { JsonTextError, readJson } from '../../runtime/foreign/json.ts'
import { type AnswerHeaders, headerText } from '../headers.ts'
import { decodeContent } from './content-coding.ts'

/** Why a received body is unusable. The message never quotes it. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

/** Parses the decompressed bytes. @throws BodyError for another format */
export type ParseBody = (bytes: Uint8Array, headers: AnswerHeaders) => unknown | Promise<unknown>

/**
 * @param limitBytes on the wire, and again decompressed
 * @param parse JSON by default
 * @throws BodyError if the body is too large, broken or too expensive to parse; connection errors unchanged
 */
export async function readAnswerBody(
  chunks: AsyncIterable<Uint8Array>,
  headers: AnswerHeaders,
  limitBytes: number,
  parse: ParseBody = parseJsonBody,
): Promise<unknown> {
  return parse(await decompress(await readAll(chunks, limitBytes), headers, limitBytes), headers)
}

async function parseJsonBody(bytes: Uint8Array, headers: AnswerHeaders): Promise<unknown> {
  try {
    return await readJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    throw new BodyError(`${describe(headers)} that is ${error.message}`)
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const received: Uint8Array[] = []
  let size = 0
  // Leaving the loop early closes the connection.
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limitBytes) throw tooLarge(limitBytes)
    received.push(chunk)
  }
  return Buffer.concat(received)
}

async function decompress(bytes: Buffer<ArrayBuffer>, headers: AnswerHeaders, limitBytes: number): Promise<Uint8Array> {
  try {
    const decoded = await decodeContent(bytes, headerText(headers, 'content-encoding') ?? '', limitBytes)
    if (decoded !== null) return decoded
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limitBytes)
    throw error
  }
  throw new BodyError('a compressed body that is cut off or damaged')
}

function tooLarge(limitBytes: number): BodyError {
  return new BodyError(`a body of more than ${limitBytes} bytes`)
}

function describe(headers: AnswerHeaders): string {
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(headerText(headers, 'content-type') ?? '')
  return type ? `a body of type ${type[0]}` : 'a body'
}
