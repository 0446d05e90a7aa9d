import { exitCodes } from './exit-codes.ts'
import { toJsonLine, wrapLine } from './text.ts'

/** The width of a terminal that says none: `script` and some consoles report 0 columns. */
const usualColumns = 80

/** The width of the terminal that a stream is; null for a pipe. */
export const columnsOf = ({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number | null =>
  isTTY ? columns || usualColumns : null

/** The width of the terminal on stdout; null in a pipe, where lines are never wrapped. */
export const terminalColumns = (): number | null => columnsOf(process.stdout)

/** Wraps lines to the width of a terminal; null leaves them unchanged. */
export const fitLines = (lines: readonly string[], columns: number | null): string[] =>
  columns === null ? [...lines] : lines.flatMap((line) => wrapLine(line, columns))

/** Prints lines on stdout, wrapped on a terminal. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${fitLines(lines, terminalColumns()).join('\n')}\n`)
}

/** Prints lines on stderr, wrapped on a terminal. */
export function noteLines(lines: readonly string[]): void {
  process.stderr.write(`${fitLines(lines, columnsOf(process.stderr)).join('\n')}\n`)
}

/** Prints a value as one JSON object on one line. */
export function printJson(value: unknown): void {
  process.stdout.write(`${toJsonLine(value)}\n`)
}

/**
 * Ends the command when the reader of its output closes the pipe (`| head`). A closed stderr is a failure, because progress is
 * written to it before the work is done.
 * @param streams without stdout where an output that was cut off is a failure, too.
 */
export function exitWhenOutputCloses(streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
      process.exit(stream === process.stderr ? exitCodes.failed : undefined)
    })
  }
}
