/** Far more than any platform nests. Every level costs the parser a stack frame, and also each later reader of the value. */
const nestingLimit = 64

/** Of one list or object of a large text: building one of millions would block the receiver's thread, however it is cut into pieces. */
export const memberLimit = 100_000

const messages = {
  nested: `nested deeper than ${nestingLimit} levels`,
  crowded: `a list or object of more than ${memberLimit} members`,
  not_json: 'not JSON',
}

export type JsonFault = keyof typeof messages

/** Why a text cannot be read. The message never holds a part of it. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
  readonly fault: JsonFault

  constructor(fault: JsonFault) {
    super(messages[fault])
    this.fault = fault
  }
}

/**
 * Reads UTF-8 as JSON. A text that is nested too deeply is refused before it is parsed: a few million brackets would block
 * the thread for seconds and take hundreds of megabytes.
 * @throws JsonTextError
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (isNestedDeeperThan(bytes, nestingLimit)) throw new JsonTextError('nested')
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // The parser's own message quotes the text.
    throw new JsonTextError('not_json')
  }
}

/** Counts brackets outside strings (RFC 8259), in one pass; no byte of a longer UTF-8 character equals one of these. */
function isNestedDeeperThan(bytes: Uint8Array, limit: number): boolean {
  // Local literals: with constants of the module the loop is half as fast.
  const quote = 0x22
  const backslash = 0x5c
  const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d] as const
  let depth = 0
  let isInString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (isInString) {
      if (byte === backslash) index++
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > limit) return true
    } else if (byte === closeBracket || byte === closeBrace) depth--
  }
  return false
}
