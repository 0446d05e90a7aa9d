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
