/** Why data cannot be moved, as a message for the operator. */
export class MovingError extends Error {
  override readonly name: string = 'MovingError'
}

/** What is wrong with a dump: a sentence whose subject, "it", is the dump. */
export class DumpError extends MovingError {
  override readonly name = 'DumpError'
}

/** Adds a dump's name to its error; other errors stay as they are. */
export const nameDump = (name: string, error: unknown): unknown =>
  error instanceof DumpError ? new DumpError(`${name}: ${error.message}`) : error

/** How much of a dump is written or stored. */
export interface MovingProgress {
  rows: number
  totalRows: number
  /** Of the written file, or the stored rows. */
  bytes: number
}
