/** Why data cannot be moved; the message is for the operator. */
export class MovingError extends Error {
  override readonly name: string = 'MovingError'
}

/** What is wrong with a dump: a sentence whose subject, "it", is the dump. */
export class DumpError extends MovingError {
  override readonly name = 'DumpError'
}
