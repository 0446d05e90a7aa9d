import type { Command } from 'commander'

/** The exit codes of `wishwell`, as in `--help`. */
export const exitCodes = {
  ok: 0,
  /** The service refused, the job failed, or the database could not be opened. */
  failed: 1,
  /** A wrong command line or configuration. */
  usage: 2,
  unreachable: 3,
  /** A scrape job ended without all platforms delivering. */
  partial: 4,
  limited: 5,
} as const

/** An error of the command line: its message is printed as is, and its code ends the process. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A command line's mistake, and the words after it. */
export interface Mistake {
  command: Command
  kind: 'command' | 'option' | 'arguments'
  words: readonly string[]
}

/** Replaces commander's errors, which know no commands of other groups, synonyms or secrets. */
export class MistakeError extends Error {
  constructor(mistake: Mistake) {
    super(mistake.kind, { cause: mistake })
  }
}
