import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { type ForeignFile, maxRowBytes, readText, UnreadableFileError } from './file.ts'

/** Per record. */
export const maxColumns = 500

/** Finds the byte that ends records: the parser applies the first ending (CR, LF or both) to all. */
function createRecordEnds() {
  let [first, ending, isPair, returnedAt] = [-1, 0, false, -2]
  return (byte: number, at: number): boolean => {
    if (byte === 0x0d) returnedAt = at
    const isSecond = byte === 0x0a && returnedAt === at - 1
    if (first < 0) [first, ending] = [at, byte]
    else if (isSecond && first === at - 1) isPair = true
    return isPair ? isSecond : byte === ending
  }
}

/** Counts cells before the parser stores them: it limits bytes, and empty cells have none. */
async function* countCells(chunks: AsyncIterable<Buffer>, delimiter: number): AsyncGenerator<Buffer> {
  let [cells, line, isQuoted, offset] = [1, 1, false, 0]
  const endsRecord = createRecordEnds()
  for await (const chunk of chunks) {
    // Local literals: module constants make the loop half as fast.
    const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d] as const
    let [count, quoted] = [cells, isQuoted]
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (byte === lineFeed) line++
      if (byte === quote) quoted = !quoted
      else if (quoted) continue
      else if (byte === lineFeed || byte === carriageReturn) {
        if (endsRecord(byte, offset + index)) count = 1
      } else if (byte === delimiter && ++count > maxColumns)
        throw new UnreadableFileError(`line ${line}: it has more than ${maxColumns} columns.`)
    }
    ;[cells, isQuoted, offset] = [count, quoted, offset + chunk.length]
    yield chunk
  }
}

/** RFC 4180. @param delimiter one ASCII character @returns records with their first line @throws UnreadableFileError */
export async function* readCsv(file: ForeignFile, delimiter: string): AsyncGenerator<{ at: string; cells: string[] }> {
  const parser = parse({
    delimiter,
    info: true,
    skip_empty_lines: true,
    // Rows after one with too few columns are read too.
    relax_column_count: true,
    max_record_size: maxRowBytes,
  })
  // One failure ends the other stream, and the loop throws it.
  pipeline(Readable.from(countCells(readText(file), delimiter.charCodeAt(0))), parser, () => {})
  let end = 0
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: { lines: number }; record: string[] }>) {
      const at = `line ${end + 1}`
      end = info.lines
      yield { at, cells: record }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableFileError(messageOf(error))
  }
}

function messageOf(error: CsvError): string {
  // The stream reads ahead, so only the error knows the line.
  const at = `line ${String(error.lines)}: `
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `${at}a quotation mark that opens a value is never closed.`
    case 'CSV_MAX_RECORD_SIZE':
      return `${at}the row is longer than ${maxRowBytes / 1024} KiB; perhaps a quotation mark is missing.`
    default:
      return `${at}a quotation mark stands where none may: write it twice inside of a quoted value.`
  }
}
