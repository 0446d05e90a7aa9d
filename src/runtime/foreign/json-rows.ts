import { JSONParser } from '@streamparser/json'
import { type ForeignFile, readText, requireRowSize, UnreadableFileError } from './file.ts'
import { createJsonCounter, JsonTextError, parseJson, wholeBytes } from './json.ts'

/** A value of a file and its place, for people: `line 12`, or `item 3` of a document. */
export interface JsonRow {
  at: string
  value: unknown
}

const lineEnd = 0x0a
/** Per line, parsed at once; a file may have hundreds of such lines. */
const maxLineMembers = 20_000

/** Whether a text is only white space. */
export const isBlank = (text: Uint8Array): boolean =>
  text.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))

/** Parses at a place. @throws UnreadableFileError with the place */
function parseAt<Value>(place: () => string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw new UnreadableFileError(`${place()}: it is ${error instanceof JsonTextError ? error.message : 'not JSON'}.`)
  }
}

function parseLine(text: Uint8Array, line: number): JsonRow {
  const at = `line ${line}`
  requireRowSize(text.length, at)
  return {
    at,
    value: parseAt(
      () => at,
      () => parseJson(text, wholeBytes, maxLineMembers),
    ),
  }
}

/** Reads JSON Lines, skipping blank lines. @throws UnreadableFileError */
export async function* readJsonLines(file: ForeignFile): AsyncGenerator<JsonRow> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  for await (const chunk of readText(file)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let begin = 0
    for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, begin)) {
      const text = bytes.subarray(begin, end)
      if (end > begin && !isBlank(text)) yield parseLine(text, line)
      begin = end + 1
      line += 1
    }
    rest = bytes.subarray(begin)
    requireRowSize(rest.length, `line ${line}`)
  }
  if (!isBlank(rest)) yield parseLine(rest, line)
}

/**
 * Items of a document's lists.
 * @param place whether the document is the list, or an object with lists, e.g. `posts`
 * @throws UnreadableFileError, also if an item, or anything outside the lists, is too long
 */
export async function* readJsonItems(
  file: ForeignFile,
  place: 'document' | 'value',
): AsyncGenerator<JsonRow & { list: number }> {
  const counter = createJsonCounter(Number.POSITIVE_INFINITY)
  const paths = [place === 'document' ? '$.*' : '$.*.*']
  const parser = new JSONParser({ paths, keepStack: false, stringBufferSize: 64 * 1024 })
  let [list, items, isInList, bytes] = [0, 0, place === 'document', 0]
  let found: (JsonRow & { list: number })[] = []
  parser.onValue = ({ key, value }) => {
    bytes = 0
    if (place === 'value' && key === 0) isInList = typeof value === 'object' && value !== null && !Array.isArray(value)
    // A property name, so not in a list.
    if (!isInList || typeof key !== 'number') return
    if (key === 0) list += 1
    items += 1
    found.push({ at: `item ${items}`, value, list })
  }
  const nextItem = () => `item ${items + 1}`
  for await (const chunk of readText(file)) {
    bytes += chunk.length
    parseAt(nextItem, () => {
      counter.add(chunk)
      parser.write(chunk)
    })
    requireRowSize(bytes, nextItem())
    yield* found
    found = []
  }
  if (!parser.isEnded) throw new UnreadableFileError(`${nextItem()}: the file ends within it.`)
}
