import { decodeContent } from './content-coding.ts'
import { type AnswerHeaders, headerText } from './headers.ts'

/** Far more than any platform nests. Every level costs the parser a stack frame, and also each later reader of the value. */
const nestingLimit = 64

/**
 * Of all lists and objects of a text together; a page of a platform has some ten thousand. Within ten megabytes, the dearest
 * members (names that never repeat) take 52 to 122 ms.
 */
const memberLimit = 100_000

const messages = {
  nested: `nested deeper than ${nestingLimit} levels`,
  crowded: `of more than ${memberLimit} members`,
  not_json: 'not JSON',
}

type JsonFault = keyof typeof messages

/** Why a text cannot be read. The message never holds a part of it. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'

  constructor(fault: JsonFault) {
    super(messages[fault])
  }
}

/**
 * Reads UTF-8 as JSON. A text that is nested too deeply or has too many members is refused before it is parsed: a few million
 * brackets or names would block the thread for seconds and take hundreds of megabytes.
 * @throws JsonTextError
 */
export function parseJson(bytes: Uint8Array): unknown {
  const fault = findCost(bytes, nestingLimit, memberLimit)
  if (fault !== null) throw new JsonTextError(fault)
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // The parser's own message quotes the text.
    throw new JsonTextError('not_json')
  }
}

/**
 * Counts outside strings (RFC 8259), in one pass; no byte of a longer UTF-8 character equals one of these. A member follows
 * either the bracket that opens its list or object, or a comma.
 */
function findCost(bytes: Uint8Array, maxDepth: number, maxMembers: number): JsonFault | null {
  // Local literals: with constants of the module the loop is half as fast.
  const quote = 0x22
  const backslash = 0x5c
  const comma = 0x2c
  const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d] as const
  let depth = 0
  let members = 0
  let isInString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (isInString) {
      if (byte === backslash) index++
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > maxDepth) return 'nested'
      if (++members > maxMembers) return 'crowded'
    } else if (byte === closeBracket || byte === closeBrace) depth--
    else if (byte === comma && ++members > maxMembers) return 'crowded'
  }
  return null
}

/** Why a received body cannot be used. The message never holds a part of it. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

/** What a body says, by its decompressed bytes. @throws BodyError for a body of another form. */
export type ParseBody = (bytes: Uint8Array, headers: AnswerHeaders) => unknown

/**
 * Reads a whole body.
 * @param limitBytes for the bytes on the wire, and again for the decompressed bytes.
 * @param parse by default as JSON
 * @throws BodyError when the body is too large, broken, not JSON, or too dear to parse; errors of the connection unchanged.
 */
export async function readAnswerBody(
  chunks: AsyncIterable<Uint8Array>,
  headers: AnswerHeaders,
  limitBytes: number,
  parse: ParseBody = parseJsonBody,
): Promise<unknown> {
  return parse(await decompress(await readAll(chunks, limitBytes), headers, limitBytes), headers)
}

function parseJsonBody(bytes: Uint8Array, headers: AnswerHeaders): unknown {
  try {
    return parseJson(bytes)
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
