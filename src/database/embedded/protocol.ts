/** What the main thread asks of the database worker. Messages are answered strictly in the order in which they arrive. */
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
  /** All that Postgres answered, errors of statements included. */
  | { type: 'answer'; id: number; answer: Uint8Array<ArrayBuffer> }
  | { type: 'error'; id: number; error: WorkerError }
  /** The database itself broke (WebAssembly aborted): nothing can be asked of it any more. */
  | { type: 'broken'; error: WorkerError }

/** The fields of a Postgres error that callers decide by or log. */
const errorFields = ['code', 'severity', 'detail', 'hint', 'constraint', 'table', 'column', 'where'] as const

/** What there is to know of an error, as plain fields. */
export function describeError(error: unknown): WorkerError {
  const source = error as Record<string, unknown>
  const fields: Record<string, string> = {}
  for (const name of errorFields) if (typeof source[name] === 'string') fields[name] = source[name]
  return { message: error instanceof Error ? error.message : String(error), fields }
}

/** Bytes in one piece with memory of its own (a small Buffer shares its with others), which can be handed to another thread. */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts))
