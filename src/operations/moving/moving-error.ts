/** Why data cannot be moved; the message is for the operator. */
export class MovingError extends Error {
  override readonly name: string = 'MovingError'
}

/** What is wrong with a dump: a sentence whose subject, "it", is the dump. */
export class DumpError extends MovingError {
  override readonly name = 'DumpError'
}

/** Adds the name of a dump to what is wrong with it; any other error stays as it is. */
export const nameDump = (name: string, error: unknown): unknown =>
  error instanceof DumpError ? new DumpError(`${name}: ${error.message}`) : error

/** How far a dump is written or stored. */
export interface MovingProgress {
  rows: number
  totalRows: number
  /** Of the file that is written, or of the rows that are stored. */
  bytes: number
}
