import pg from 'pg'
import { serialize } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import { valueTypes } from '../values.ts'
import type { PreparedStatements } from './statements.ts'

// Messages of the Postgres protocol 3.0, by node-postgres, so that both backends read values alike.

/** A request to the database worker, which answers strictly in order. */
export type WorkerRequest =
  /** A Postgres protocol message. */
  { id: number; operation: 'send'; message: Uint8Array<ArrayBuffer> } | { id: number; operation: 'close' }

/** An error as plain fields: classes do not survive the structured clone between threads. */
export interface WorkerError {
  message: string
  fields: Record<string, string>
}

export type WorkerResponse =
  | { type: 'ready' }
  | { type: 'failed'; error: WorkerError }
  /** Postgres' whole answer, including statement errors. */
  | { type: 'answer'; id: number; answer: Uint8Array<ArrayBuffer> }
  | { type: 'error'; id: number; error: WorkerError }
  /** WebAssembly aborted: the database is unusable. */
  | { type: 'broken'; error: WorkerError }

/** Postgres error fields that callers log or handle. */
const errorFields = ['code', 'severity', 'detail', 'hint', 'constraint', 'table', 'column', 'where'] as const

/** Returns the message and Postgres fields of an error. */
export function describeError(error: unknown): WorkerError {
  const source = error as Record<string, unknown>
  const fields: Record<string, string> = {}
  for (const name of errorFields) if (typeof source[name] === 'string') fields[name] = source[name]
  return { message: error instanceof Error ? error.message : String(error), fields }
}

/** Joins bytes into memory of their own, transferable to a thread (small Buffers share memory). */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts))

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => string | Buffer | null } })
  .utils

export interface StatementResult {
  rows: Record<string, unknown>[]
  fields: { name: string; dataTypeID: number }[]
  /** Rows written; undefined for a statement that writes none. */
  affectedRows?: number
}

export interface Answer {
  /** Results of successful statements, in order. */
  results: StatementResult[]
  /** Why an operation failed or its answer is unreadable; null if all succeeded. */
  error: (Error & { code?: string | undefined }) | null
  /** Whether Postgres would have ended its process; PGlite would loop at the next message. */
  isFatal: boolean
  notifications: { channel: string; payload: string }[]
}

/** Encodes parameters. @throws TypeError for a value that is none of the database's */
export const toParameters = (values: readonly unknown[]): (string | Buffer | null)[] =>
  values.map((value) => {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new TypeError(`a ${typeof value} is no parameter`)
    return prepareValue(value)
  })

/** A statement with parameters, prepared according to `statements.ts`. */
export const statementMessage = (
  { name, before }: ReturnType<PreparedStatements['begin']>,
  values: (string | Buffer | null)[],
): Uint8Array<ArrayBuffer> =>
  joinBytes([
    ...before,
    serialize.bind({ statement: name, values }),
    serialize.describe({ type: 'P' }),
    serialize.execute(),
    serialize.sync(),
  ])

/** A script of statements without parameters: one implicit transaction, unless it opens one. */
export const scriptMessage = (text: string): Uint8Array<ArrayBuffer> => joinBytes([serialize.query(text)])

/** Severities that end a Postgres process (its manual, "Message Severity Levels"). */
const fatalSeverities = new Set(['FATAL', 'PANIC'])

type Message = Parameters<Parameters<Parser['parse']>[1]>[0]
type Field = { name: string; dataTypeID: number; format: 'text' | 'binary' }

/** E.g. `INSERT 0 5`, `UPDATE 3`, `CREATE TABLE`. */
const written = /^(?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)$/

/** Parses the whole answer to one message. */
export function readAnswer(bytes: Uint8Array): Answer {
  const answer: Answer = { results: [], error: null, isFatal: false, notifications: [] }
  let fields: Field[] = []
  let readers: ((text: string) => unknown)[] = []
  let rows: Record<string, unknown>[] = []

  const describe = (described: Field[]) => {
    fields = described
    readers = fields.map(({ dataTypeID, format }) => valueTypes.getTypeParser(dataTypeID, format as 'text'))
  }
  const addRow = (texts: (string | null)[]) => {
    const row: Record<string, unknown> = {}
    for (let column = 0; column < texts.length; column++) {
      const text = texts[column]
      row[fields[column]!.name] = text == null ? null : readers[column]!(text)
    }
    rows.push(row)
  }
  const tryToAddRow = (texts: (string | null)[]) => {
    try {
      addRow(texts)
    } catch (error) {
      answer.error ??= error as Error
    }
  }
  const complete = (command: string) => {
    const affected = written.exec(command)?.[1]
    const result = { rows, fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })) }
    answer.results.push(affected === undefined ? result : { ...result, affectedRows: Number(affected) })
    describe([])
    rows = []
  }
  const onMessage = (message: Message) => {
    const sent = message as unknown as Record<string, never>
    if (message.name === 'dataRow') tryToAddRow(sent.fields!)
    else if (message.name === 'rowDescription') describe(sent.fields!)
    else if (message.name === 'commandComplete') complete(sent.text!)
    else if (message.name === 'emptyQuery') complete('')
    else if (message.name === 'error') {
      answer.error ??= message as unknown as Error
      answer.isFatal ||= fatalSeverities.has(sent.severity!)
    } else if (message.name === 'notification') {
      answer.notifications.push({ channel: sent.channel!, payload: sent.payload! })
    }
  }
  new Parser().parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), onMessage)
  return answer
}
