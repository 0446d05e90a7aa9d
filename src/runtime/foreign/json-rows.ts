import { JSONParser } from '@streamparser/json'
import { type ForeignFile, readText, requireRowSize, UnreadableFileError } from './file.ts'
import { createJsonCounter, JsonTextError, parseJson } from './json.ts'

/** One value of a file, and where it stands, for people: `line 12`, or `item 3` of a document. */
export interface JsonRow {
  at: string
  value: unknown
}

const lineEnd = 0x0a

const isBlank = (text: Uint8Array) => text.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))

/** Reads at a place. @throws UnreadableFileError with the place, for a JsonTextError */
function readAt<Read>(at: string, read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    throw error instanceof JsonTextError ? new UnreadableFileError(`${at}: it is ${error.message}.`) : error
  }
}

function parseLine(text: Uint8Array, at: string): JsonRow {
  requireRowSize(text.length, at)
  return { at, value: readAt(at, () => parseJson(text)) }
}

/** The values of a file of JSON Lines, one after another; blank lines are none. @throws UnreadableFileError */
export async function* readJsonLines(file: ForeignFile): AsyncGenerator<JsonRow> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  for await (const chunk of readText(file)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let begin = 0
    for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, begin)) {
      const text = bytes.subarray(begin, end)
      if (end > begin && !isBlank(text)) yield parseLine(text, `line ${line}`)
      begin = end + 1
      line += 1
    }
    rest = bytes.subarray(begin)
    requireRowSize(rest.length, `line ${line}`)
  }
  if (!isBlank(rest)) yield parseLine(rest, `line ${line}`)
}

/** A list of objects in a document: the document itself, or a value of its object, such as `posts`. */
export type ListPlace = 'document' | 'value'

/**
 * The items of the lists of one document, one after another.
 * @param place where its lists are: lists elsewhere are not looked for
 * @throws UnreadableFileError, also for an item, or what is beside the lists, that is too long to be kept
 */
export async function* readJsonItems(file: ForeignFile, place: ListPlace): AsyncGenerator<JsonRow & { list: number }> {
  const counter = createJsonCounter(Number.POSITIVE_INFINITY)
  const paths = [place === 'document' ? '$.*' : '$.*.*']
  const parser = new JSONParser({ paths, keepStack: false, stringBufferSize: 64 * 1024 })
  let [list, items, isInList, bytes] = [0, 0, place === 'document', 0]
  let found: (JsonRow & { list: number })[] = []
  parser.onValue = ({ key, value }) => {
    bytes = 0
    if (place === 'value' && key === 0) isInList = typeof value === 'object' && value !== null && !Array.isArray(value)
    // A name is not of a list.
    if (!isInList || typeof key !== 'number') return
    if (key === 0) list += 1
    items += 1
    found.push({ at: `item ${items}`, value, list })
  }
  for await (const chunk of readText(file)) {
    readAt(`item ${items + 1}`, () => counter.add(chunk))
    bytes += chunk.length
    try {
      parser.write(chunk)
    } catch {
      throw new UnreadableFileError(`item ${items + 1}: it is not JSON.`)
    }
    requireRowSize(bytes, `item ${items + 1}`)
    yield* found
    found = []
  }
  if (!parser.isEnded) throw new UnreadableFileError(`item ${items + 1}: the file ends within it.`)
}
