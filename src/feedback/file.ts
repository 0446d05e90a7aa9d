import { hash } from 'node:crypto'
import { isStorable } from '../http/validation.ts'
import type { FoundRequest } from '../platforms/platform.ts'
import { type ForeignFile, UnreadableFileError } from '../runtime/foreign/file.ts'
import { type ColumnMapping, mapColumns } from './columns.ts'
import { columnsOfFormat, formatOf, type ImportFormat, isBoard } from './formats.ts'
import { askOf, type LeftOut, type ReadAsk, readAsk } from './items.ts'
import type { ImportName } from './names.ts'
import { maxRows, openRows, type Row, type RowFile } from './rows.ts'

export interface ImportFile {
  file: ForeignFile
  name: ImportName
  /** Undefined: detected by columns. */
  format?: ImportFormat | undefined
  /** Columns mapped by hand. */
  given: ColumnMapping
  /** Whether each row is a feature request; undefined: the format's default. */
  areRequests?: boolean | undefined
}

export interface OpenedFile {
  rows: RowFile
  name: ImportName
  format: ImportFormat
  areRequests: boolean
  mapping: ColumnMapping
  unused: string[]
}

/** Rows of a JSON file to look at, which may differ in columns. */
const rowsWithColumns = 200
/** Characters of all column names, since each is compared with each field. */
const maxNameCharacters = 100_000
const maxErrors = 100
const sampleSize = 5
const maxStatuses = 10

/** Detects format and columns. @throws UnreadableFileError if invalid, without rows, or without texts */
export async function openFile({ file, name, format, given, areRequests }: ImportFile): Promise<OpenedFile> {
  const rows = await openRows(file)
  const columns = await readColumns(rows)
  const unknown = Object.values(given).filter((column) => column !== '' && !columns.includes(column))
  if (unknown.length > 0)
    throw new UnreadableFileError(
      `It has no column ${unknown.join(', ')}. Its columns: ${columns.join(', ').slice(0, 1_000)}.`,
    )
  const found = format ?? formatOf(columns)
  const usual = Object.entries(columnsOfFormat[found] ?? {}).filter(([, column]) => columns.includes(column))
  const mapping = mapColumns(columns, { ...Object.fromEntries(usual), ...given })
  if (mapping.title === undefined && mapping.description === undefined)
    throw new UnreadableFileError(
      `No column is known as a title or a text: map one by hand. Its columns: ${columns.join(', ').slice(0, 1_000)}.`,
    )
  const used = new Set(Object.values(mapping))
  const unused = columns.filter((column) => !used.has(column))
  return { rows, name, format: found, areRequests: areRequests ?? isBoard(found), mapping, unused }
}

async function readColumns({ isTable, read }: RowFile): Promise<string[]> {
  const columns = new Set<string>()
  let [rows, characters] = [0, 0]
  for await (const { values } of read()) {
    for (const column of Object.keys(values)) {
      if (columns.has(column)) continue
      columns.add(column)
      characters += column.length
      if (characters > maxNameCharacters)
        throw new UnreadableFileError('The names of its columns are too long. Has it a first line with names?')
    }
    rows += 1
    if (rows === (isTable ? 1 : rowsWithColumns)) break
  }
  if (rows === 0) throw new UnreadableFileError('It has no rows.')
  return [...columns]
}

/** Each row, and what became of it. */
async function* readFileAsks({ rows, mapping, ...options }: OpenedFile): AsyncGenerator<{ row: Row; read: ReadAsk }> {
  const seen = new Map<string, number>()
  // Hashes, because texts of a file without ids are as large as the file.
  const occurrence = (text: string) => {
    const key = hash('sha256', text, 'base64')
    const before = seen.get(key) ?? 0
    seen.set(key, before + 1)
    return before
  }
  for await (const row of rows.read()) {
    const { problem } = row
    const read =
      problem === undefined ? readAsk(askOf(row.values, mapping), { ...options, occurrence }) : { error: problem }
    yield { row, read }
  }
}

/** What a file contains, before storing anything. */
export interface CheckedFile {
  rows: number
  asks: number
  /** Rows that replace an earlier row with the same id. */
  repeated: number
  leftOut: Partial<Record<LeftOut, number>>
  /** Rows with an ask but no date. */
  undated: number
  /** Rows with NUL or a lone surrogate in a field, which are removed because neither can be stored. */
  unstorable: number
  /** Rows with an unknown status word, and the first ten of these words. */
  unknownStatuses: { rows: number; words: string[] }
  /** The first hundred faulty rows. */
  errors: { at: string; message: string }[]
  wrongRows: number
  sample: FoundRequest[]
}

/** Reads the whole file. Names faulty rows, and where it becomes unreadable, by line. */
export async function checkFile(file: OpenedFile): Promise<CheckedFile> {
  const checked: CheckedFile = {
    ...{ rows: 0, asks: 0, repeated: 0, leftOut: {}, undated: 0, unstorable: 0, errors: [], wrongRows: 0, sample: [] },
    unknownStatuses: { rows: 0, words: [] },
  }
  const ids = new Set<string>()
  const columns = Object.values(file.mapping)
  const fail = (at: string, message: string) => {
    checked.wrongRows += 1
    if (checked.errors.length < maxErrors) checked.errors.push({ at, message })
  }
  try {
    for await (const { row, read } of readFileAsks(file)) {
      checked.rows += 1
      if (checked.rows > maxRows) {
        fail(row.at, `a file has at most ${maxRows.toLocaleString('en-US')} rows: split it`)
        break
      }
      if ('error' in read) fail(row.at, read.error)
      else if ('leftOut' in read) checked.leftOut[read.leftOut] = (checked.leftOut[read.leftOut] ?? 0) + 1
      else note(read, row)
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    const [, at = 'file', message = error.message] = /^((?:line|item) \d+): (.*)$/s.exec(error.message) ?? []
    fail(at, message)
  }
  checked.asks = ids.size
  return checked

  function note({ request, unknownStatus }: Extract<ReadAsk, { request: FoundRequest }>, { values }: Row): void {
    if (!columns.every((column) => isStorable(values[column] ?? ''))) checked.unstorable += 1
    if (ids.has(request.sourceId)) checked.repeated += 1
    if (request.originalCreatedAt === null) checked.undated += 1
    const { unknownStatuses: unknown } = checked
    const word = unknownStatus?.slice(0, 100)
    if (word !== undefined) unknown.rows += 1
    if (word !== undefined && unknown.words.length < maxStatuses && !unknown.words.includes(word))
      unknown.words.push(word)
    ids.add(request.sourceId)
    if (checked.sample.length < sampleSize) checked.sample.push(request)
  }
}

/** The asks of a checked file. */
export async function* readRequests(file: OpenedFile): AsyncGenerator<FoundRequest> {
  for await (const { read } of readFileAsks(file)) if ('request' in read) yield read.request
}
