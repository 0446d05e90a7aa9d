import { JSONParser } from '@streamparser/json'
import { createPauses } from '../event-loop.ts'

/** Deeper than any platform nests. Each level costs the parser, and all later readers, a stack frame. */
const nestingLimit = 64

/** Members of all lists and objects of a text; a platform's page has some ten thousand. */
const memberLimit = 100_000

/** Maximum parsed at once: the costliest members (unique names) then take some 100 ms. */
export const wholeBytes = 2 * 1024 * 1024

const chunkBytes = 64 * 1024

/** Why a text is unreadable. The message never quotes it. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
}

const notJson = () => new JsonTextError('not JSON')

/** Counts the cost of JSON chunk by chunk, before storing any of it. */
export interface JsonCounter {
  add(chunk: Uint8Array): void
}

/**
 * Counts outside strings (RFC 8259) in one pass: a member follows an opening bracket or a comma, bytes that never occur
 * in longer UTF-8 characters.
 * @param maxMembers by default a platform page's
 */
export function createJsonCounter(maxMembers = memberLimit): JsonCounter {
  let [depth, members, isInString, isEscaped] = [0, 0, false, false]
  return {
    add(bytes) {
      // Local literals: module constants make the loop half as fast.
      const [quote, backslash, comma] = [0x22, 0x5c, 0x2c] as const
      const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d] as const
      let [level, count, inString] = [depth, members, isInString]
      let index = isEscaped ? 1 : 0
      for (; index < bytes.length; index++) {
        const byte = bytes[index]
        if (inString) {
          if (byte === backslash) index++
          else if (byte === quote) inString = false
        } else if (byte === quote) inString = true
        else if (byte === openBracket || byte === openBrace) {
          if (++level > nestingLimit) throw new JsonTextError(`nested deeper than ${nestingLimit} levels`)
          count++
        } else if (byte === closeBracket || byte === closeBrace) level--
        else if (byte === comma) count++
        if (count > maxMembers) throw new JsonTextError(`of more than ${maxMembers} members`)
      }
      ;[depth, members, isInString, isEscaped] = [level, count, inString, index > bytes.length]
    },
  }
}

/**
 * Refuses too large, deep or many-membered text before parsing, which would block the thread for seconds and take
 * hundreds of megabytes.
 * @param maxBytes above the default only in a thread (`thread.ts`)
 * @param maxMembers see `createJsonCounter`
 * @throws JsonTextError
 */
export function parseJson(text: Uint8Array | string, maxBytes: number = wholeBytes, maxMembers?: number): unknown {
  if (text.length > maxBytes) throw new JsonTextError('too large')
  createJsonCounter(maxMembers).add(typeof text === 'string' ? Buffer.from(text) : text)
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
  } catch {
    // The parser's own message would quote the text.
    throw notJson()
  }
}

/** Like `parseJson`, but @returns undefined for any fault. */
export function parsedJson(text: Uint8Array | string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Parses JSON of any size, large texts in pieces that yield to the event loop. @throws JsonTextError */
export async function readJson(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length <= wholeBytes) return parseJson(bytes)
  const counter = createJsonCounter()
  const pause = createPauses()
  const parser = new JSONParser({ paths: ['$'], stringBufferSize: chunkBytes })
  let value: unknown
  parser.onValue = (found) => {
    value = found.value
  }
  const write = (work: () => void) => {
    try {
      work()
    } catch {
      throw notJson()
    }
  }
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes)
    counter.add(chunk)
    write(() => parser.write(chunk))
    await pause()
  }
  // A top-level number has no end mark.
  if (!parser.isEnded) write(() => parser.end())
  if (value === undefined) throw notJson()
  return value
}
