import { createPauses } from '../runtime/event-loop.ts'
import { maxColumns, readCsv } from '../runtime/foreign/csv.ts'
import { type ForeignFile, maxRowBytes, readText, UnreadableFileError } from '../runtime/foreign/file.ts'
import { parsedJson } from '../runtime/foreign/json.ts'
import { isBlank, type JsonRow, readJsonItems, readJsonLines } from '../runtime/foreign/json-rows.ts'

/** A row's columns as texts, in the file's order. */
export interface Row {
  /** Where it starts, for people: `line 12`, or `item 3` of a JSON document. */
  at: string
  values: Readonly<Record<string, string>>
  /** Why it is unreadable, while later rows are readable. */
  problem?: string
}

export interface RowFile {
  /** Whether all rows have the same columns. */
  isTable: boolean
  /** Reads row by row, yielding to the event loop. @throws UnreadableFileError */
  read(): AsyncGenerator<Row>
}

/** Per file. */
export const maxRows = 200_000

/** How much beyond the first line to look at for the format. */
const glance = 4_096

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A file's start, as long as a first line may be. */
async function headOf(file: ForeignFile): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of readText(file)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxRowBytes + glance) break
  }
  return Buffer.concat(chunks)
}

/** Whether a value holds a document's list: the only list of objects in its object, e.g. `posts`. */
const hasList = (value: unknown) =>
  isObject(value) && Object.values(value).filter((list) => Array.isArray(list) && isObject(list[0])).length === 1

async function* inPauses<From, To>(values: AsyncIterable<From>, map: (value: From) => To): AsyncGenerator<To> {
  const pause = createPauses()
  for await (const value of values) {
    yield map(value)
    await pause()
  }
}

/** JSON Lines if the first line is an object, but not the whole file. @throws UnreadableFileError without a list */
export async function openRows(file: ForeignFile): Promise<RowFile> {
  const head = await headOf(file)
  const start = head.subarray(0, glance).toString().trimStart()
  const items = (place: 'document' | 'value') => ({
    isTable: false,
    read: () => inPauses(readJsonItems(file, place), rowOf),
  })
  if (start.startsWith('[')) return items('document')
  if (!start.startsWith('{'))
    return { isTable: true, read: () => inPauses(readTable(file, separatorOf(head)), (row) => row) }
  const end = head.indexOf('\n')
  const first = parsedJson(end < 0 ? head : head.subarray(0, end))
  const isAll = end < 0 || isBlank(head.subarray(end, end + glance))
  if (first !== undefined && !(isAll && hasList(first)))
    return { isTable: false, read: () => inPauses(readJsonLines(file), rowOf) }
  let [lists, rows] = [0, 0]
  for await (const item of readJsonItems(file, 'value')) {
    lists = item.list
    // Stop early: the reader will refuse the file.
    if (lists > 1 || !isObject(item.value) || ++rows > maxRows) break
  }
  if (lists !== 1) throw new UnreadableFileError('It has no list of objects, or several.')
  return items('value')
}

/** The most frequent separator of the first line. */
function separatorOf(head: Buffer): string {
  const [header = ''] = head
    .subarray(0, 64 * 1024)
    .toString()
    .split('\n', 1)
  const counted = [',', ';', '\t', '|'].map((separator) => ({ separator, count: header.split(separator).length }))
  return counted.reduce((a, b) => (b.count > a.count ? b : a)).separator
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

/** Takes column names from the first record; unnamed columns get their number. */
async function* readTable(file: ForeignFile, separator: string): AsyncGenerator<Row> {
  let columns: string[] | null = null
  for await (const { at, cells } of readCsv(file, separator)) {
    const row: Row = { at, values: valuesOf(columns ?? [], cells) }
    if (columns === null) columns = cells.map((name, index) => name.trim() || `column ${index + 1}`)
    else if (cells.length === columns.length) yield row
    else yield { ...row, problem: `it has ${cells.length} columns, where the first line has ${columns.length}.` }
  }
}

/** A JSON value as text, with the names of list items, such as labels. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(nameOf).filter(Boolean).join(', ')
  return typeof value === 'object' ? '' : String(value)
}

const nameOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? textOf((value as { name?: unknown }).name) : textOf(value)

const maxInnerNames = 50

/** An object's values, nested ones as `author.name`. */
function flatten(object: object): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      let left = maxInnerNames
      // Not `Object.entries`: for a hundred thousand it takes longer than the parser.
      for (const inner in value) {
        if (left-- === 0) break
        values[`${name}.${inner}`] = textOf((value as Record<string, unknown>)[inner])
      }
    } else values[name] = textOf(value)
  }
  return values
}

function rowOf({ at, value }: JsonRow): Row {
  if (!isObject(value)) throw new UnreadableFileError(`${at}: it is no JSON object.`)
  if (Object.keys(value).length > maxColumns)
    throw new UnreadableFileError(`${at}: it has more than ${maxColumns} names.`)
  return { at, values: flatten(value) }
}
