import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { createPauses } from '../runtime/event-loop.ts'

/** One row of a file: its columns, in the order of the file, as texts. */
export interface Row {
  /** Where it begins, for people: `line 12`, or `item 3` of a JSON document. */
  at: string
  values: Readonly<Record<string, string>>
  /** Why it cannot be read, while those after it can. */
  problem?: string
}

/** A file that cannot be read any further. The message names the place. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/** How a file is written. */
export type FileForm = 'csv' | 'jsonl' | 'json'

const maxColumns = 500
/** A row with more is no feedback. */
const maxRowBytes = 1024 * 1024
const chunkBytes = 256 * 1024
/** A document is parsed as a whole, which takes several times its size. */
const maxDocumentBytes = 16 * 1024 * 1024

/** The bytes of a file as UTF-8, without a byte order mark. @throws UnreadableFileError for another encoding than UTF-8 and UTF-16. */
export function decodeFile(file: Buffer): Buffer {
  if (file[0] === 0xff && file[1] === 0xfe) return Buffer.from(new TextDecoder('utf-16le').decode(file))
  if (file[0] === 0xfe && file[1] === 0xff) return Buffer.from(new TextDecoder('utf-16be').decode(file))
  const text = file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf ? file.subarray(3) : file
  if (isUtf8(text)) return text
  throw new UnreadableFileError('It is not UTF-8. Save it as UTF-8 ("CSV UTF-8" in Excel).')
}

/** How a decoded file is written: JSON Lines where its first line is an object, and not all of a document. */
export function formOf(file: Buffer): FileForm {
  const start = file.subarray(0, 4_096).toString().trimStart()
  if (start.startsWith('[')) return 'json'
  if (!start.startsWith('{')) return 'csv'
  const end = file.indexOf(0x0a)
  const length = end < 0 ? file.length : end
  if (length > maxDocumentBytes) return 'json'
  const first = parsed(file.subarray(0, length).toString())
  const isAll =
    end < 0 ||
    file
      .subarray(end, end + 4_096)
      .toString()
      .trim() === ''
  return first === undefined || (isAll && listOf(first) !== null) ? 'json' : 'jsonl'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The rows of a decoded file, one after another. Other work of the event loop runs between them.
 * @throws UnreadableFileError
 */
export async function* readRows(file: Buffer, form: FileForm): AsyncGenerator<Row> {
  const rows = form === 'csv' ? readCsv(file) : form === 'jsonl' ? readJsonLines(file) : readJsonDocument(file)
  const pause = createPauses()
  for await (const row of rows) {
    yield row
    await pause()
  }
}

/** The separator is the one that the first line has most of. */
function separatorOf(file: Buffer): string {
  const [header = ''] = file
    .subarray(0, 64 * 1024)
    .toString()
    .split('\n', 1)
  const counted = [',', ';', '\t', '|'].map((separator) => ({ separator, count: header.split(separator).length }))
  return counted.reduce((a, b) => (b.count > a.count ? b : a)).separator
}

function* chunksOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes)
}

/** The names of columns; one without a name gets its number, and values of columns with one name are joined. */
function readHeader(record: readonly string[]): string[] {
  if (record.length > maxColumns) throw new UnreadableFileError(`line 1: it has more than ${maxColumns} columns.`)
  return record.map((name, index) => name.trim() || `column ${index + 1}`)
}

function valuesOf(columns: readonly string[], record: readonly string[]): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  columns.forEach((column, index) => {
    const value = record[index] ?? ''
    const before = values[column]
    values[column] = before === undefined || before === '' ? value : value === '' ? before : `${before}, ${value}`
  })
  return values
}

async function* readCsv(file: Buffer): AsyncGenerator<Row> {
  const parser = Readable.from(chunksOf(file)).pipe(
    parse({
      delimiter: separatorOf(file),
      info: true,
      skip_empty_lines: true,
      // So the rows after one that has too few are read, too.
      relax_column_count: true,
      max_record_size: maxRowBytes,
    }),
  )
  let columns: string[] | null = null
  let end = 0
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: { lines: number }; record: string[] }>) {
      const begin = end + 1
      end = info.lines
      if (columns === null) columns = readHeader(record)
      else if (record.length === columns.length) yield { at: `line ${begin}`, values: valuesOf(columns, record) }
      else {
        const problem = `it has ${record.length} columns, where the first line has ${columns.length}.`
        yield { at: `line ${begin}`, values: valuesOf(columns, record), problem }
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableFileError(csvMessage(error))
  }
}

function csvMessage(error: CsvError): string {
  // The stream reads ahead of its reader, so only the error knows the line.
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

/** One text for a value of JSON: names of what a list has, such as labels. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(nameOf).filter(Boolean).join(', ')
  return typeof value === 'object' ? '' : String(value)
}

const nameOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? textOf((value as { name?: unknown }).name) : textOf(value)

/** The values of an object, with those of objects in it as `author.name`. */
function flatten(object: object): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(object).slice(0, maxColumns)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [inner, of] of Object.entries(value).slice(0, 50)) values[`${name}.${inner}`] = textOf(of)
    } else values[name] = textOf(value)
  }
  return values
}

function rowOf(value: unknown, at: string): Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableFileError(`${at}: it is no JSON object.`)
  return { at, values: flatten(value) }
}

function* readJsonLines(file: Buffer): Generator<Row> {
  let line = 0
  for (let at = 0; at < file.length; ) {
    const found = file.indexOf(0x0a, at)
    const end = found < 0 ? file.length : found
    line += 1
    if (end - at > maxRowBytes)
      throw new UnreadableFileError(`line ${line}: it is longer than ${maxRowBytes / 1024} KiB.`)
    const text = file.subarray(at, end).toString().trim()
    at = end + 1
    if (text === '') continue
    const value = parsed(text)
    if (value === undefined) throw new UnreadableFileError(`line ${line}: it is no JSON.`)
    yield rowOf(value, `line ${line}`)
  }
}

/** The list of a document: itself, or the only list of objects that its object has, such as `posts`. */
function listOf(document: unknown): unknown[] | null {
  if (Array.isArray(document)) return document
  if (typeof document !== 'object' || document === null) return null
  const isRows = (value: unknown) => Array.isArray(value) && value.length > 0 && typeof value[0] === 'object'
  const lists = Object.values(document).filter(isRows)
  return lists.length === 1 ? (lists[0] as unknown[]) : null
}

function* readJsonDocument(file: Buffer): Generator<Row> {
  if (file.length > maxDocumentBytes)
    throw new UnreadableFileError(
      `A JSON document has at most ${maxDocumentBytes / 1024 / 1024} MiB: write JSON Lines, one object a line.`,
    )
  let document: unknown
  try {
    document = JSON.parse(file.toString())
  } catch (error) {
    throw new UnreadableFileError(`It is no JSON: ${(error as Error).message.slice(0, 200)}.`)
  }
  const list = listOf(document)
  if (list === null) throw new UnreadableFileError('It has no list of objects, or several.')
  for (const [index, value] of list.entries()) yield rowOf(value, `item ${index + 1}`)
}
