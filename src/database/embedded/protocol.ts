/** What the main thread asks of the database worker. Statements run strictly in the order in which they arrive. */
export type WorkerRequest =
  | { id: number; operation: 'query'; sql: string; parameters: unknown[] }
  | { id: number; operation: 'exec'; sql: string }
  | { id: number; operation: 'listen'; channel: string }
  | { id: number; operation: 'unlisten'; channel: string }
  | { id: number; operation: 'close' }

export interface WorkerResult {
  rows: Record<string, unknown>[]
  affectedRows?: number
  fields: { name: string; dataTypeID: number }[]
}

/** A Postgres error as plain fields: a class does not survive the structured clone between threads. */
export interface WorkerError {
  message: string
  fields: Record<string, string>
}

export type WorkerResponse =
  | { type: 'ready' }
  | { type: 'failed'; error: WorkerError }
  | { type: 'result'; id: number; results: WorkerResult[] }
  | { type: 'error'; id: number; error: WorkerError }
  /** The database itself broke (WebAssembly aborted): nothing can be asked of it any more. */
  | { type: 'broken'; error: WorkerError }
  | { type: 'notification'; channel: string; payload: string }

/** The fields of a Postgres error that callers decide by or log. */
export const errorFields = ['code', 'severity', 'detail', 'hint', 'constraint', 'table', 'column', 'where'] as const
