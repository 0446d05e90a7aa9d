/** Far more than any platform nests; every level costs the parser a frame, and readers that follow it too. */
const nestingLimit = 64

/** Of one list or object of a large text: to build one of millions holds the receiver's thread for long, in whatever pieces it comes. */
export const memberLimit = 100_000

const messages = {
  nested: `nested deeper than ${nestingLimit} levels`,
  crowded: `a list or object of more than ${memberLimit} members`,
  not_json: 'not JSON',
}

export type JsonFault = keyof typeof messages

/** Why a text cannot be read. It never holds a part of the text. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
  readonly fault: JsonFault

  constructor(fault: JsonFault) {
    super(messages[fault])
    this.fault = fault
  }
}

/**
 * Reads UTF-8 as JSON. What is nested too deeply is refused before it is parsed: a few million brackets would hold the thread
 * for seconds and take hundreds of megabytes.
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

/** Counts brackets outside strings (RFC 8259), in one pass; bytes of a longer UTF-8 character are never one of these. */
function isNestedDeeperThan(bytes: Uint8Array, limit: number): boolean {
  // Literals in reach of the compiler: constants of the module make the loop half as fast.
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
