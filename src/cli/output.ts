import { exitCodes } from './exit-codes.ts'
import { toJsonLine, wrapLine } from './text.ts'

/** The width of the terminal on stdout; null in a pipe, where lines are never wrapped. */
export const terminalColumns = (): number | null => (process.stdout.isTTY ? process.stdout.columns : null)

/** Wraps lines to the width of a terminal; null leaves them unchanged. */
export const fitLines = (lines: readonly string[], columns: number | null): string[] =>
  columns === null ? [...lines] : lines.flatMap((line) => wrapLine(line, columns))

/** Prints lines on stdout, wrapped on a terminal. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${fitLines(lines, terminalColumns()).join('\n')}\n`)
}

/** Prints lines on stderr, wrapped on a terminal. */
export function noteLines(lines: readonly string[]): void {
  const columns = process.stderr.isTTY ? process.stderr.columns : null
  process.stderr.write(`${fitLines(lines, columns).join('\n')}\n`)
}

/** Prints a value as one JSON object on one line. */
export function printJson(value: unknown): void {
  process.stdout.write(`${toJsonLine(value)}\n`)
}

/**
 * Ends the command when the reader of its output closes the pipe (`| head`). A closed stderr is a failure, because progress is
 * written to it before the work is done.
 */
export function exitWhenOutputCloses(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
      process.exit(stream === process.stderr ? exitCodes.failed : undefined)
    })
  }
}
