/** A request of the main thread to the database worker, which answers strictly in the order of arrival. */
export type WorkerRequest =
  /** A message of Postgres' protocol. */
  { id: number; operation: 'send'; message: Uint8Array<ArrayBuffer> } | { id: number; operation: 'close' }

/** A fault as plain fields: a class does not survive the structured clone between threads. */
export interface WorkerError {
  message: string
  fields: Record<string, string>
}

export type WorkerResponse =
  | { type: 'ready' }
  | { type: 'failed'; error: WorkerError }
  /** The whole answer of Postgres, errors of statements included. */
  | { type: 'answer'; id: number; answer: Uint8Array<ArrayBuffer> }
  | { type: 'error'; id: number; error: WorkerError }
  /** The database itself broke (WebAssembly aborted): it answers nothing any more. */
  | { type: 'broken'; error: WorkerError }

/** The fields of a Postgres error that callers log or handle. */
const errorFields = ['code', 'severity', 'detail', 'hint', 'constraint', 'table', 'column', 'where'] as const

/** The message and the Postgres fields of an error. */
export function describeError(error: unknown): WorkerError {
  const source = error as Record<string, unknown>
  const fields: Record<string, string> = {}
  for (const name of errorFields) if (typeof source[name] === 'string') fields[name] = source[name]
  return { message: error instanceof Error ? error.message : String(error), fields }
}

/** Joins bytes in memory of their own, which can be transferred to another thread (a small Buffer shares its memory). */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts))
